package anthropic

import (
	"testing"

	"tau/ai/internal/answertest"
)

func TestRecorded(t *testing.T) {
	m := model()
	m.Reasoning, m.Input, m.BaseURL = true, []string{"text", "image"}, "https://x.test/v1"
	answertest.Recorded(t, "testdata/recorded.txt", m, Stream, nil)
}
