// Package operation is the closed vocabulary in which deviations of the reference server
// are written as data: faults and quirks in their catalogues, rules in world files, and
// rules that the admin API switches on.
//
// An [Operation] selects messages and does one thing to each:
//
//   - {method: resources/list, drop: "result.resources[0].name"}
//   - {on: notification, method: notifications/resources/updated, silence: true}
//   - {on: request, method: resources/read, when: [{at: params.uri, matches: "^log:"}], delay: 50ms}
//
// # Messages
//
// On says which sort of message is meant, and so what paths lead into:
//
//	request       a request or notification of the client, before it is handled: id, method, params, header,
//	              session (id, revision). Headers of a modern request that repeat a member follow it
//	reply         what a request is answered with, before it is put into a message: result, error, status,
//	              header
//	response      the whole answer just before it is sent: jsonrpc, id, result, error, and raw, its text,
//	              which goes before the members; also the answer to input that cannot be read, and the
//	              result that ends a listen stream
//	notification  a message of the server's that is no answer, just before it is sent: jsonrpc, method,
//	              params and raw
//	http-request  a request over HTTP before it is looked at: verb, path, header, body
//	http-answer   an answer over HTTP before it is written: status, header, body. What names the body
//	              leaves event streams alone
//	event         a server-sent event before it is written: type, id, data, raw, retry (milliseconds),
//	              stream (post, get or sse), answer (whether it answers a request)
//
// The default is reply. In all sorts but request and http-request, request leads to the request that
// the message belongs to: request.method, request.params.uri, over HTTP request.header.Accept. In a response
// and a notification, session leads to that on which it is sent, as in a request.
//
// Method, Era and Transport limit an operation further. Method is that of the request for replies
// and responses: "resources/*" matches by beginning, "a|b" either. When lists tests that all must
// hold. Of the messages so selected the first Skip pass, then Count are changed (0: all), of these
// every Every-th, each with the probability Chance.
//
// # Paths
//
// A path is names with dots between them; [0] is an element of an array, [-1] the last one, [*]
// each, [+] a further one at the end. A name with other characters is written in brackets and quotation
// marks: result._meta["io.modelcontextprotocol/serverInfo"].title. Set makes objects on the way where
// there are none, but neither a result nor an error; a name with a question mark stands for what is there
// already: result.annotations?.priority. Names of headers may be written in any case.
//
// In all sorts but http-answer and event, mock leads to what the server knows: mock.count is the number of
// the message among those that the operation selects, from 1; mock.time its clock (RFC 3339), mock.unix the
// same in milliseconds; mock.random a number from 0 to 1 and mock.uuid a UUID, both by the seed.
//
// In all sorts but event, noted.NAME leads to the values that Note has remembered under a name, the oldest
// first: noted.NAME[-1] is the last, noted.NAME[5] is there once there are six. A reply has the request as
// it came in, before an operation changed it, the others as it was handled.
//
// # What is done
//
//	set       the member is given the value To (null if To is absent)
//	drop      the member is taken away
//	retype    the member is given another type, As: string (its JSON, if it was none), number (of a
//	          string that is one), array (of its members, or of itself alone), element (the first of
//	          the array), json (what a string says in JSON), base64 (of the bytes of a string), plain (of
//	          a string in base64)
//	rewrite   in a string, what the regular expression Pattern matches is replaced by With ($1 is a group)
//	code      the code of an error is replaced
//	silence   a request is neither handled nor answered; a reply, response, notification or event is not
//	          sent, but what Send has put before it is
//	delay     the message waits: 50ms, uniform:10ms-90ms, lognormal:50ms,0.5
//	repeat    the message is sent this many times
//	reorder   of two such messages on a connection the first waits for the second, for this time at
//	          the most
//	abort     the connection ends, on HTTP the session; an http-request is cut off
//	send      another message is sent before this one, or After it; Apart from the request, if there is one
//	answer    a request is answered without being handled: by a result, an error, or given bytes
//	note      the value To is remembered, for each connection, session or revision if Per says so
//
// Where limits what set, drop, retype and rewrite do to objects for which the tests hold: those that the last
// name of the path is in, or the elements where it ends in brackets. Their paths begin there.
//
// A test with In compares with what is elsewhere in the message, or has been noted:
// {at: params.cursor, in: noted.used}.
//
// In a To, an Answer and a Send, "${params.uri}" stands for the value at a path, "${.uri}" at one that
// begins where the last name of the path is in; Raw and Body of an Answer have them if it is a Template.
// Where the value is missing nothing is done; within a longer text it is empty.
//
// Operations on the same sort of message are done in their order.
package operation
