package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	noop "go.opentelemetry.io/otel/trace/noop"

	crdapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/features"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

type server struct {
	generic     *genericapiserver.GenericAPIServer
	address     string
	certificate string
}

func newServer(folder, etcd, token string) (*server, error) {
	// Alpha: lists and watches of a shard.
	gates := map[string]bool{string(features.ShardedListAndWatch): true}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		return nil, err
	}
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stderr, os.Stderr)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := listener.Addr().(*net.TCPAddr)
	serving, storage := o.RecommendedOptions.SecureServing, o.RecommendedOptions.Etcd
	serving.Listener, serving.BindPort, serving.BindAddress = listener, port.Port, port.IP
	serving.ExternalAddress = port.IP
	serving.ServerCert.CertDirectory = folder
	storage.StorageConfig.Transport.ServerList = []string{"http://" + etcd}
	if err := o.Complete(); err != nil {
		return nil, err
	}
	if err := serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{port.IP}); err != nil {
		return nil, err
	}
	config, err := newConfig(o, token)
	if err != nil {
		return nil, err
	}
	built, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	return &server{
		generic:     built.GenericAPIServer,
		address:     listener.Addr().String(),
		certificate: filepath.Join(folder, "apiserver.crt"),
	}, nil
}

// What the options' own Config does, without what needs a kube-apiserver beside it: delegated
// authentication and authorization, admission, and the informers of core types.
func newConfig(o *options.CustomResourceDefinitionsServerOptions, token string) (*crdapiserver.Config, error) {
	generic := genericapiserver.NewRecommendedConfig(crdapiserver.Codecs)
	if err := o.ServerRunOptions.ApplyTo(&generic.Config); err != nil {
		return nil, err
	}
	recommended := o.RecommendedOptions
	if err := recommended.Etcd.ApplyTo(&generic.Config); err != nil {
		return nil, err
	}
	if err := recommended.SecureServing.ApplyTo(&generic.SecureServing, &generic.LoopbackClientConfig); err != nil {
		return nil, err
	}
	enabled := crdapiserver.DefaultAPIResourceConfigSource()
	if err := o.APIEnablement.ApplyTo(&generic.Config, enabled, crdapiserver.Scheme); err != nil {
		return nil, err
	}
	generic.Authentication.Authenticator = authenticate(token)
	generic.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	definitions := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(crdapiserver.Scheme)
	generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	return &crdapiserver.Config{
		GenericConfig: generic,
		ExtraConfig: crdapiserver.ExtraConfig{
			CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(
				*recommended.Etcd, generic.ResourceTransformers, generic.StorageObjectCountTracker),
			ServiceResolver: noServices{},
			AuthResolverWrapper: webhook.NewDefaultAuthenticationInfoResolverWrapper(
				nil, nil, generic.LoopbackClientConfig, noop.NewTracerProvider()),
		},
	}, nil
}

func authenticate(token string) authenticator.Request {
	admin := &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}}
	tokens := tokenfile.New(map[string]*user.DefaultInfo{token: admin})
	return group.NewAuthenticatedGroupAdder(bearertoken.New(tokens))
}

// There are no services, so there are no conversion webhooks behind one.
type noServices struct{}

func (noServices) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	return nil, errors.New("this server has no services")
}

func (s *server) waitUntilReady(ctx context.Context, ended <-chan error) error {
	client, err := rest.UnversionedRESTClientFor(rest.CopyConfig(s.unversioned()))
	if err != nil {
		return err
	}
	for {
		answer, err := client.Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case err := <-ended:
			return fmt.Errorf("ended before it was ready: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("not ready in time: %w: %s", err, answer)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s *server) unversioned() *rest.Config {
	config := rest.CopyConfig(s.generic.LoopbackClientConfig)
	config.NegotiatedSerializer = crdapiserver.Codecs.WithoutConversion()
	return config
}

func (s *server) writeKubeconfig(path, token string) error {
	authority, err := os.ReadFile(s.certificate)
	if err != nil {
		return err
	}
	const name = "apiserver"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + s.address, CertificateAuthorityData: authority}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}
