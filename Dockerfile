# mcpcheck and mockserver in an image of their own, for servers that are reached by
# URL ("docker build -t mcpcheck ."). To judge a command, copy the program into the
# image of the server:
#   COPY --from=mcpcheck /usr/local/bin/mcpcheck /usr/local/bin/
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.release=${VERSION}" -o /out/ ./cmd/mcpcheck ./cmd/mockserver

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/mcpcheck /out/mockserver /usr/local/bin/
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/mcpcheck"]
