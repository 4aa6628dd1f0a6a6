import type { Usage, StreamPart } from '../../protocol/message.ts'
import { asCount, asRecord, type JsonRecord, asList, asText } from '../core/read-json.ts'
import { fileOfDataURL } from '../core/data-url.ts'
import { createThinkSplitter } from '../../action/think-splitter.ts'
import { STRAY_CLOSER, UNOPENED_REASONING } from '../unopened-reasoning.ts'

/**
 * Token counts of a chunk, or undefined. Reads OpenAI's `usage`, with DeepSeek's cache fields; Groq's
 * `x_groq.usage`; and llama.cpp's `timings`, sent if no usage was requested.
 */
export function readUsage(chunk: JsonRecord): Usage | undefined {
  const usage = asRecord(chunk['usage']) ?? asRecord(asRecord(chunk['x_groq'])?.['usage'])
  if (usage) return fromUsage(usage)
  const timings = asRecord(chunk['timings'])
  return timings && fromTimings(timings)
}

function fromUsage(usage: JsonRecord): Usage | undefined {
  const prompt = asRecord(usage['prompt_tokens_details']) ?? {}
  const completion = asRecord(usage['completion_tokens_details']) ?? {}
  const inputTokens = asCount(usage['prompt_tokens']) ?? asCount(usage['input_tokens'])
  const output = asCount(usage['completion_tokens']) ?? asCount(usage['output_tokens'])
  // Gemini and xAI count reasoning in the total only.
  const outputFromTotal = (asCount(usage['total_tokens']) ?? 0) - (inputTokens ?? Infinity)
  return toUsage({
    inputTokens,
    outputTokens: outputFromTotal > (output ?? 0) ? outputFromTotal : output,
    cachedInputTokens:
      asCount(prompt['cached_tokens']) ?? asCount(usage['prompt_cache_hit_tokens']),
    cacheWriteTokens: asCount(prompt['cache_write_tokens']),
    reasoningTokens: asCount(completion['reasoning_tokens']) ?? asCount(usage['reasoning_tokens']),
  })
}

function fromTimings(timings: JsonRecord): Usage | undefined {
  const processed = asCount(timings['prompt_n'])
  const cached = asCount(timings['cache_n'])
  return toUsage({
    inputTokens: processed === undefined ? undefined : processed + (cached ?? 0),
    outputTokens: asCount(timings['predicted_n']),
    cachedInputTokens: cached,
  })
}

function toUsage(fields: { readonly [Name in keyof Usage]: number | undefined }):
  | Usage
  | undefined {
  const defined = Object.entries(fields).filter(([, count]) => count !== undefined)
  return defined.length === 0 ? undefined : (Object.fromEntries(defined) as Usage)
}

const LEFT_OUT: StreamPart = {
  type: 'warning',
  code: 'file-left-out',
  message: 'A file of the model was left out: it is a URL, or its type is not supported.',
}

/** Collects the files of one answer, without duplicates. */
export interface ProducedFiles {
  /** Returns the files in a delta or message, from OpenRouter's `images`. */
  read(delta: JsonRecord): StreamPart[]
  /** Returns the file in a content part; null if it holds none. */
  readPart(part: JsonRecord): StreamPart[] | null
}

/**
 * Reads `{ type: 'image_url', image_url: { url: 'data:…' } }`, from `images`
 * (https://openrouter.ai/docs/features/multimodal/image-generation) or from content parts. Addresses are not fetched:
 * their server would learn about the visitor, and an address might point into the visitor's network.
 */
export function createProducedFiles(): ProducedFiles {
  const seenUrls = new Set<string>()
  let hasWarned = false

  function readPart(part: JsonRecord): StreamPart[] | null {
    const imageUrl = part['image_url']
    const url = asText(imageUrl) ?? asText(asRecord(imageUrl)?.['url'])
    if (url === undefined) return null
    if (seenUrls.has(url)) return []
    const file = fileOfDataURL(url)
    if (file) seenUrls.add(url)
    else if (hasWarned) return []
    else hasWarned = true
    return [file ? { type: 'file', file } : LEFT_OUT]
  }

  return {
    read: ({ images }) => asList(images).flatMap((image) => readPart(asRecord(image) ?? {}) ?? []),
    readPart,
  }
}

/** Defined in builds of a worker with parts, which splits the text itself. */
declare const OFFSTAGE_PARTS: string | undefined

/** Splits a model's text at `<think>` tags. */
export interface InlineReasoning {
  push(text: string): StreamPart[]
  end(): StreamPart[]
  /** Call it when reasoning is sent in a separate field: a stray closing tag then doesn't turn text into reasoning. */
  stopLooking(): void
}

/**
 * Splits at `<think>` tags. Also finds closing tags without an opening tag, because some prompt templates open the
 * reasoning themselves. The text before such a tag was reasoning; a warning marks the position.
 */
export function createInlineReasoning(): InlineReasoning {
  if (typeof OFFSTAGE_PARTS !== 'undefined') throw new Error('The worker asks for text as written.')
  let hasField = false
  const splitter = createThinkSplitter({
    loneCloser: () => (hasField ? STRAY_CLOSER : UNOPENED_REASONING),
  })
  return {
    push: (text) => splitter.push(text),
    end: () => splitter.end(),
    stopLooking() {
      hasField = true
    },
  }
}
