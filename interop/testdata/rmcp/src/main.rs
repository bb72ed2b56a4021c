//! An ordinary server with the Rust SDK: two resources, of which one changes by itself, a
//! template, and completion. Over stdio, or over Streamable HTTP at the port that is given.

use rmcp::{
    model::*,
    service::{RequestContext, SubscriptionContext, SubscriptionSink},
    transport::{
        stdio,
        streamable_http_server::{
            session::local::LocalSessionManager, StreamableHttpServerConfig, StreamableHttpService,
        },
    },
    ErrorData, Peer, RoleServer, ServerHandler, ServiceExt,
};
use std::sync::{
    atomic::{AtomicU64, Ordering},
    Arc, Mutex,
};
use std::time::Duration;

const CLOCK: &str = "field://clock";

/// Who is told that the clock has changed: sessions by their number, and listen streams.
#[derive(Clone, Default)]
struct Subscribers {
    sessions: Arc<Mutex<Vec<(u64, Peer<RoleServer>)>>>,
    streams: Arc<Mutex<Vec<SubscriptionSink>>>,
    last: Arc<AtomicU64>,
}

impl Subscribers {
    fn session(&self) -> Ordinary {
        Ordinary {
            number: self.last.fetch_add(1, Ordering::Relaxed),
            subscribers: self.clone(),
        }
    }

    async fn tell(self) {
        loop {
            tokio::time::sleep(Duration::from_millis(400)).await;
            let sessions = self.sessions.lock().unwrap().clone();
            for (_, peer) in sessions {
                let _ = peer
                    .notify_resource_updated(ResourceUpdatedNotificationParam::new(CLOCK))
                    .await;
            }
            let streams = self.streams.lock().unwrap().clone();
            for stream in streams {
                let _ = stream.notify_resource_updated(CLOCK).await;
            }
        }
    }
}

#[derive(Clone)]
struct Ordinary {
    number: u64,
    subscribers: Subscribers,
}

impl ServerHandler for Ordinary {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        config.capabilities = ServerCapabilities::builder()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        config
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = ListResourcesResult::default();
        result.resources = vec![
            Resource::new("field://readme", "readme").with_mime_type("text/plain"),
            Resource::new(CLOCK, "clock").with_mime_type("text/plain"),
        ];
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = ListResourceTemplatesResult::default();
        result.resource_templates =
            vec![ResourceTemplate::new("field://users/{id}", "user").with_mime_type("text/plain")];
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let user = uri
            .strip_prefix("field://users/")
            .is_some_and(|id| !id.is_empty() && !id.contains('/'));
        if user || uri == "field://readme" || uri == CLOCK {
            return Ok(ReadResourceResult::new(vec![
                ResourceContents::text("hello", uri).with_mime_type("text/plain")
            ])
            .into());
        }
        Err(ErrorData::resource_not_found(
            "resource not found",
            Some(serde_json::json!({ "uri": uri })),
        ))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri.as_str() == CLOCK {
            self.subscribers
                .sessions
                .lock()
                .unwrap()
                .push((self.number, context.peer.clone()));
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri.as_str() == CLOCK {
            self.subscribers
                .sessions
                .lock()
                .unwrap()
                .retain(|(number, _)| *number != self.number);
        }
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.subscribers
            .streams
            .lock()
            .unwrap()
            .push(context.sink().clone());
        context.cancelled().await;
        Ok(())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::new(
            CompletionInfo::new(vec!["ann".into(), "bob".into()]).unwrap(),
        ))
    }
}

#[tokio::main]
async fn main() {
    let subscribers = Subscribers::default();
    tokio::spawn(subscribers.clone().tell());
    let Some(port) = std::env::args().nth(1) else {
        subscribers
            .session()
            .serve(stdio())
            .await
            .unwrap()
            .waiting()
            .await
            .unwrap();
        return;
    };
    let service: StreamableHttpService<Ordinary, LocalSessionManager> = StreamableHttpService::new(
        move || Ok(subscribers.session()),
        Default::default(),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}"))
        .await
        .unwrap();
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service))
        .await
        .unwrap();
}
