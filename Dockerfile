# mcpcheck, for servers that are reached by URL ("docker build -t mcpcheck ."), and the mock
# ("docker build --target mockserver -t mockserver ."), each the entry point of an image. To judge a command, copy the program into the
# image of the server:
#   COPY --from=mcpcheck /usr/local/bin/mcpcheck /usr/local/bin/
FROM golang:1.26-bookworm@sha256:116d58cbd88c1297624acc6e967a060012422bacf9930927e23fb719189c6f36 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# With .git, from which Go tells the programs their version.
COPY . .
RUN CGO_ENABLED=0 go build -buildvcs=true -trimpath -ldflags "-s -w" -o /out/ ./cmd/mcpcheck ./cmd/mockserver
# The licence notices of these programs; the packages that are made with them are left here.
RUN go run ./packages/pack -programs /out -out /packed

FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab AS programs
COPY --from=build /out/mcpcheck /out/mockserver /usr/local/bin/
COPY --from=build /src/LICENSE /packed/notices/linux/*/THIRD_PARTY_NOTICES.txt /licenses/
LABEL org.opencontainers.image.licenses="Apache-2.0 AND BSD-3-Clause AND MIT"
WORKDIR /work

FROM programs AS mockserver
EXPOSE 8931
ENTRYPOINT ["/usr/local/bin/mockserver"]
CMD ["--http", "0.0.0.0:8931"]

FROM programs AS mcpcheck
ENTRYPOINT ["/usr/local/bin/mcpcheck"]
