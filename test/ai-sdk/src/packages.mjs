// Parts of the AI SDK, and of packages built on it, that the tests use.
export * as ai from 'ai'
export { createOpenAICompatible as createV4 } from '@ai-sdk/openai-compatible'
export { createOpenAICompatible as createV3 } from 'ai-sdk-model-v3'
export { createOpenAICompatible as createV2 } from 'ai-sdk-model-v2'
export { Chat } from '@ai-sdk/react'
