//! An ordinary server with tower-mcp: a resource, a template, and completion. Over stdio, or over
//! Streamable HTTP at the port that is given.

use std::collections::HashMap;
use tower_mcp::protocol::{CompleteParams, ReadResourceResult};
use tower_mcp::resource::{ResourceBuilder, ResourceTemplateBuilder};
use tower_mcp::transport::http::HttpTransport;
use tower_mcp::{CompleteResult, McpRouter, StdioTransport};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let readme = ResourceBuilder::new("ordinary://readme")
        .name("readme")
        .description("A text")
        .mime_type("text/plain")
        .text("hello");
    let user = ResourceTemplateBuilder::new("ordinary://users/{id}")
        .name("user")
        .description("A user")
        .handler(|uri: String, vars: HashMap<String, String>| async move {
            Ok(ReadResourceResult::text(uri, vars["id"].clone()))
        });
    let router = McpRouter::new()
        .server_info("ordinary", "1.0.0")
        .resource(readme)
        .resource_template(user)
        .completion_handler(|params: CompleteParams| async move {
            let all = ["ann", "bob"].map(String::from);
            Ok(CompleteResult::new(
                all.into_iter()
                    .filter(|x| x.starts_with(&params.argument.value))
                    .collect::<Vec<_>>(),
            ))
        });
    match std::env::args().nth(1) {
        Some(port) => {
            HttpTransport::new(router)
                .serve(&format!("127.0.0.1:{port}"))
                .await?
        }
        None => StdioTransport::new(router).run().await?,
    }
    Ok(())
}
