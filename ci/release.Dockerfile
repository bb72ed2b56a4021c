# The image of a release, from programs that are built already.
FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/mcpcheck $TARGETPLATFORM/mockserver /usr/local/bin/
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/mcpcheck"]
