import { expect, test } from 'vitest'
import { type ModelFacts, modelFacts } from '../../../src/providers/catalogue/model-facts.ts'

const K = 1024

test.each<[string, ModelFacts]>([
  ['gpt-4o-mini', { contextWindow: 128_000, tools: true, vision: true, reasoning: 'none' }],
  ['gpt-4.1-nano', { contextWindow: 1_047_576, tools: true }],
  ['openai/gpt-5-mini', { contextWindow: 400_000, reasoning: 'hidden' }],
  ['gpt-5-chat-latest', { contextWindow: 128_000 }],
  ['o1-mini', { tools: false }],
  ['o3', { tools: true, vision: true, reasoning: 'hidden' }],
  ['o3-mini-2025-01-31', { vision: false }],
  ['o4-mini', { vision: true }],
  ['gpt-oss:20b', { contextWindow: 128 * K, tools: true, reasoning: 'channels' }],
  ['claude-3-5-haiku-20241022', { contextWindow: 200_000, reasoning: 'none' }],
  ['us.anthropic.claude-3-7-sonnet-20250219-v1:0', { reasoning: 'blocks' }],
  ['anthropic/claude-sonnet-4.5', { reasoning: 'blocks', vision: true }],
  ['claude-opus-4-1', { tools: true }],
  ['MiniMax-M2.5', { contextWindow: 204_800, reasoning: 'tags' }],
  [
    'gemini-3.8-flash',
    { contextWindow: 1_048_576, tools: true, vision: true, reasoning: 'hidden' },
  ],
  ['models/gemini-2.5-pro', { contextWindow: 1_048_576, reasoning: 'hidden' }],
  ['google/gemini-3.1-flash-lite-preview', { tools: true }],
  ['gemini-3-pro-image-preview', { tools: false, vision: true }],
  ['llama3.2:3b', { contextWindow: 128 * K, tools: true, vision: false }],
  ['llama3.2-vision:11b', { vision: true }],
  ['meta-llama/Llama-3.2-11B-Vision-Instruct', { vision: true }],
  ['meta-llama/Meta-Llama-3.1-8B-Instruct', { tools: true }],
  ['llama-3.3-70b-versatile', { tools: true }],
  ['llama3:8b', { contextWindow: 8 * K, tools: false }],
  ['qwen2.5:7b', { contextWindow: 32 * K, tools: true }],
  ['Qwen/Qwen2.5-Coder-7B-Instruct', { contextWindow: 32 * K }],
  ['qwen2.5-coder:3b', { tools: true }],
  ['qwen2.5vl:7b', { vision: true }],
  ['qwen3:4b', { contextWindow: 40 * K, tools: true, reasoning: 'tags' }],
  ['Qwen3-0.6B-Q8_0.gguf', { reasoning: 'tags' }],
  ['Qwen/Qwen3-4B-Instruct-2507', { contextWindow: 256 * K, reasoning: 'none' }],
  ['qwen3:30b-a3b-thinking-2507-q4_K_M', { contextWindow: 256 * K, reasoning: 'tags' }],
  ['qwen3-coder:30b', { contextWindow: 256 * K, reasoning: 'none' }],
  ['mistral', { contextWindow: 32 * K, tools: true }],
  ['mistral-small3.2:24b', { vision: true }],
  ['Mistral-Small-3.1-24B-Instruct-2503', { vision: true }],
  ['ministral-8b-latest', { tools: true }],
  ['devstral:24b', { contextWindow: 128 * K, tools: true }],
  ['deepseek-chat', { tools: true }],
  ['deepseek-r1:7b', { reasoning: 'tags' }],
  ['gemma2:2b', { tools: false, contextWindow: 8 * K }],
  ['gemma3:1b', { tools: false, vision: false }],
  ['google/gemma-3-27b-it', { tools: false, vision: true, contextWindow: 128 * K }],
  ['Phi-3-mini-4k-instruct', { tools: false, contextWindow: 4 * K }],
  ['phi4', { tools: false, contextWindow: 16 * K }],
  ['phi4-mini', { tools: true, contextWindow: 128 * K }],
  ['glm-4.6', { contextWindow: 200_000, reasoning: 'tags' }],
  ['zai-org/GLM-4.5-Air', { contextWindow: 128 * K }],
  ['moonshotai/Kimi-K2-Instruct-0905', { contextWindow: 256 * K }],
  ['kimi-k2-thinking', { reasoning: 'tags' }],
  ['moonshotai/Kimi-K2.6', { vision: true, contextWindow: 256 * K }],
  ['kimi-k2.7-code', { vision: true }],
  ['microsoft/Phi-4-reasoning-vision-15B', { vision: true, reasoning: 'tags' }],
  ['Phi-4-reasoning', { vision: false, reasoning: 'tags' }],
])('%s', (model, facts) => {
  expect(modelFacts(model)).toMatchObject(facts)
})

test.each([
  '',
  'my-model',
  'Hermes-3-Llama-3.1-8B',
  'gpt-55',
  'gpt-5.9-pro',
  'qwen3.5-plus',
  'qwen3-max',
  'gemma4:e4b',
  'o365',
  'constructor',
])('no facts are known about %s', (model) => {
  expect(modelFacts(model)).toEqual({})
})

test('facts from the page override the list', () => {
  const overrides = { 'qwen3:4b': { contextWindow: 8192 }, mine: { tools: false } }
  expect(modelFacts('qwen3:4b', overrides)).toEqual({
    ...modelFacts('qwen3:4b'),
    contextWindow: 8192,
  })
  expect(modelFacts('mine', overrides)).toEqual({ tools: false })
  expect(modelFacts('toString', overrides)).toEqual({})
})
