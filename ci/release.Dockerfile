# The image of a release, from programs that are built already.
FROM gcr.io/distroless/static-debian12:nonroot
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/mcpcheck $TARGETPLATFORM/mockserver /usr/local/bin/
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/mcpcheck"]
