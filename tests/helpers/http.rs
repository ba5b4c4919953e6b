//! Requests over connections of their own.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends a request. Returns the status code, the head in lower case, and the body.
pub(crate) async fn exchange(
    at: SocketAddr,
    method: &str,
    path: &str,
    host: &str,
) -> (u16, String, String) {
    let mut socket = TcpStream::connect(at).await.unwrap();
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.to_owned())
}
