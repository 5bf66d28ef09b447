// Identifies a user, tracks an event and sends an email: KEY=sk_test_... go run quickstart.go
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type Beckon struct {
	BaseURL, Key string
	Client       http.Client
}

type APIError struct {
	Status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *APIError) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message) }

// Post sends a JSON body and decodes `data` of the response into out. It makes three attempts while the server stores nothing.
func (b *Beckon) Post(path string, body any, idempotencyKey string, out any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest("POST", b.BaseURL+"/api/v1/"+path, bytes.NewReader(payload))
		if err != nil {
			return err
		}
		request.Header.Set("x-api-key", b.Key)
		request.Header.Set("content-type", "application/json")
		if idempotencyKey != "" {
			request.Header.Set("Idempotency-Key", idempotencyKey)
		}
		response, err := b.Client.Do(request)
		if err != nil {
			return err
		}
		var envelope struct {
			Data  json.RawMessage `json:"data"`
			Error APIError        `json:"error"`
		}
		content, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		decoded := json.Unmarshal(content, &envelope)
		if response.StatusCode < 300 {
			if decoded != nil || out == nil {
				return decoded
			}
			return json.Unmarshal(envelope.Data, out)
		}
		retried := response.StatusCode == 429 || response.StatusCode == 502 || response.StatusCode == 503
		if !retried || attempt == 3 {
			envelope.Error.Status = response.StatusCode
			return &envelope.Error
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			seconds = attempt
		}
		if seconds > 60 {
			seconds = 60
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func newID() string {
	id := make([]byte, 16)
	rand.Read(id)
	return hex.EncodeToString(id)
}

// VerifyWebhook checks the Standard Webhooks signature over the raw body.
func VerifyWebhook(rawBody []byte, header http.Header, secret string, now time.Time) error {
	timestamp, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(timestamp, 0)).Abs() > 5*time.Minute {
		return errors.New("the timestamp is more than five minutes away")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", header.Get("webhook-id"), timestamp)
	mac.Write(rawBody)
	for _, part := range strings.Fields(header.Get("webhook-signature")) {
		version, signature, _ := strings.Cut(part, ",")
		decoded, err := base64.StdEncoding.DecodeString(signature)
		if version == "v1" && err == nil && hmac.Equal(decoded, mac.Sum(nil)) {
			return nil
		}
	}
	return errors.New("no signature matches the secret")
}

func main() {
	baseURL := os.Getenv("BECKON_URL")
	if baseURL == "" {
		baseURL = "http://127.0.0.1:8080"
	}
	beckon := &Beckon{BaseURL: baseURL, Key: os.Getenv("KEY"), Client: http.Client{Timeout: 10 * time.Second}}
	type object = map[string]any
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	check(beckon.Post("identify", object{"userId": "ada", "traits": object{"first_name": "Ada", "email": "ada@example.com"}}, "", nil))
	// The same id in every attempt: the event takes effect once.
	check(beckon.Post("events", object{"module": "shop", "eventType": "order.placed", "userId": "ada",
		"messageId": newID(), "properties": object{"total": 39}}, "", nil))
	var send struct{ ID string }
	check(beckon.Post("email/send", object{"userIds": []string{"ada"}, "subject": "Hello {{trait.first_name}}",
		"text": "Welcome."}, newID(), &send))
	fmt.Println("send", send.ID)
}
