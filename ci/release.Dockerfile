# The images of a release, from programs that are built already: a target for each.
FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab AS programs
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/mcpcheck $TARGETPLATFORM/mockserver /usr/local/bin/
COPY LICENSE packages/dist/notices/$TARGETPLATFORM/THIRD_PARTY_NOTICES.txt /licenses/
LABEL org.opencontainers.image.licenses="Apache-2.0 AND BSD-3-Clause AND MIT"
WORKDIR /work

FROM programs AS mockserver
EXPOSE 8931
ENTRYPOINT ["/usr/local/bin/mockserver"]
CMD ["--http", "0.0.0.0:8931"]

FROM programs AS mcpcheck
ENTRYPOINT ["/usr/local/bin/mcpcheck"]
