//! An ordinary server with pmcp: a resource, a template, and completion. Over stdio, or over
//! Streamable HTTP at the port that is given.

use async_trait::async_trait;
use pmcp::server::dynamic_resources::{DynamicResourceProvider, RequestContext, UriParams};
use pmcp::server::simple_resources::{ResourceCollection, StaticResource};
use pmcp::server::streamable_http_server::{StreamableHttpServer, StreamableHttpServerConfig};
use pmcp::types::completable::StaticCompletionProvider;
use pmcp::types::{Content, ReadResourceResult, ResourceTemplate};
use pmcp::Server;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::sync::Mutex;

struct Users;

#[async_trait]
impl DynamicResourceProvider for Users {
    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("ordinary://users/{id}", "user")]
    }

    async fn fetch(
        &self,
        uri: &str,
        params: UriParams,
        _: RequestContext,
    ) -> pmcp::Result<ReadResourceResult> {
        let id = params.get("id").map_or("", |id| id.as_str());
        Ok(ReadResourceResult::new(vec![Content::resource_with_text(
            uri,
            id,
            "text/plain",
        )]))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let resources = ResourceCollection::new()
        .add_resource(
            StaticResource::new_text("ordinary://readme", "hello")
                .with_name("readme")
                .with_mime_type("text/plain"),
        )
        .add_dynamic_provider(Arc::new(Users));
    let server = Server::builder()
        .name("ordinary")
        .version("1.0.0")
        .resources(resources)
        .completions(StaticCompletionProvider::from_strings(vec![
            "ann".into(),
            "bob".into(),
        ]))
        .build()?;
    match std::env::args().nth(1) {
        Some(port) => {
            let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse()?));
            // Without the store of events, which locks itself up for good where a stream is resumed while a
            // response is stored: it takes its locks in different orders.
            let config = StreamableHttpServerConfig {
                event_store: None,
                ..Default::default()
            };
            let (_, running) =
                StreamableHttpServer::with_config(at, Arc::new(Mutex::new(server)), config)
                    .start()
                    .await?;
            running.await?;
        }
        None => server.run_stdio().await?,
    }
    Ok(())
}
