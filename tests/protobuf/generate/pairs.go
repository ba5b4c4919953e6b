package main

func pairs() map[string][]byte { return nil }

func same(path string, there, content []byte) bool { return string(there) == string(content) }
