<?php
// Identifies a user, tracks an event and sends an email: KEY=sk_test_... php quickstart.php
declare(strict_types=1);

final class BeckonError extends RuntimeException
{
    public function __construct(public readonly int $status, public readonly array $error)
    {
        parent::__construct($error['message'] ?? "HTTP $status");
    }
}

final class Beckon
{
    public function __construct(private string $key, private string $baseUrl)
    {
    }

    /** Posts a JSON body and returns `data` of the response. Makes three attempts while the server stores nothing. */
    public function post(string $path, array $body, array $headers = []): array
    {
        for ($attempt = 1; ; $attempt++) {
            $wait = null;
            $request = curl_init("$this->baseUrl/api/v1/$path");
            curl_setopt_array($request, [
                CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),
                CURLOPT_HTTPHEADER => ["x-api-key: $this->key", 'content-type: application/json', ...$headers],
                CURLOPT_RETURNTRANSFER => true,
                CURLOPT_TIMEOUT => 10,
                CURLOPT_HEADERFUNCTION => function ($request, string $line) use (&$wait): int {
                    if (preg_match('/^retry-after:\s*(\d+)/i', $line, $found)) {
                        $wait = (int) $found[1];
                    }
                    return strlen($line);
                },
            ]);
            $content = curl_exec($request);
            if ($content === false) {
                throw new RuntimeException(curl_error($request));
            }
            $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
            $response = json_decode($content, true) ?? [];
            if ($status < 300) {
                return $response['data'];
            }
            if (!in_array($status, [429, 502, 503], true) || $attempt === 3) {
                throw new BeckonError($status, $response['error'] ?? []);
            }
            sleep(min($wait ?? $attempt, 60));
        }
    }
}

/** The event of a webhook request. `$headers` has lower-case names. */
function verifyWebhook(string $rawBody, array $headers, string $secret, ?int $now = null): array
{
    $timestamp = $headers['webhook-timestamp'];
    if (abs(($now ?? time()) - (int) $timestamp) > 300) {
        throw new RuntimeException('The timestamp is more than five minutes away.');
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $signed = "{$headers['webhook-id']}.$timestamp.$rawBody";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature']) as $signature) {
        if (hash_equals($expected, $signature)) {
            return json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('No signature matches the secret.');
}

$beckon = new Beckon(getenv('KEY'), getenv('BECKON_URL') ?: 'http://127.0.0.1:8080');
$beckon->post('identify', ['userId' => 'ada', 'traits' => ['first_name' => 'Ada', 'email' => 'ada@example.com']]);
$beckon->post('events', [
    'module' => 'shop',
    'eventType' => 'order.placed',
    'userId' => 'ada',
    // The same id in every attempt: the event takes effect once.
    'messageId' => bin2hex(random_bytes(16)),
    'properties' => ['total' => 39],
]);
$send = $beckon->post(
    'email/send',
    ['userIds' => ['ada'], 'subject' => 'Hello {{trait.first_name}}', 'text' => 'Welcome.'],
    ['Idempotency-Key: ' . bin2hex(random_bytes(16))],
);
echo "send {$send['id']}\n";
