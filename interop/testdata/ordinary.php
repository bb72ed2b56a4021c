<?php

// An ordinary server over stdio with the official SDK for PHP, whose autoloader is named first.
require $argv[1];

use Mcp\Capability\Attribute\CompletionProvider;
use Mcp\Exception\ResourceNotFoundException;
use Mcp\Server;
use Mcp\Server\Transport\StdioTransport;

class Handlers
{
    public const USERS = ['ada', 'bob', 'grace'];

    public function note(): string
    {
        return "a note\n";
    }

    public function user(#[CompletionProvider(values: self::USERS)] string $name): array
    {
        if (!in_array($name, self::USERS, true)) {
            throw new ResourceNotFoundException("ordinary://users/$name");
        }

        return ['name' => $name];
    }
}

$builder = Server::builder()->setServerInfo('ordinary', '1.0.0')->setPaginationLimit(2);
for ($i = 0; $i < 5; ++$i) {
    $builder->addResource([Handlers::class, 'note'], "ordinary://notes/$i", "note_$i", mimeType: 'text/plain');
}
$builder->addResourceTemplate([Handlers::class, 'user'], 'ordinary://users/{name}', 'user', mimeType: 'application/json');
exit($builder->build()->run(new StdioTransport()));
