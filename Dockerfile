# mcpcheck and mockserver in an image of their own, for servers that are reached by
# URL ("docker build -t mcpcheck ."). To judge a command, copy the program into the
# image of the server:
#   COPY --from=mcpcheck /usr/local/bin/mcpcheck /usr/local/bin/
FROM golang:1.26-bookworm@sha256:116d58cbd88c1297624acc6e967a060012422bacf9930927e23fb719189c6f36 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# With .git, from which Go tells the programs their version.
COPY . .
RUN CGO_ENABLED=0 go build -buildvcs=true -trimpath -ldflags "-s -w" -o /out/ ./cmd/mcpcheck ./cmd/mockserver

FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab
COPY --from=build /out/mcpcheck /out/mockserver /usr/local/bin/
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/mcpcheck"]
