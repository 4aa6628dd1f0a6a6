import type { StreamPart, Usage } from '../../../protocol/message.ts'
import {
  createArgumentText,
  callParts,
  type OutputEnd,
} from '../../../providers/core/argument-text.ts'
import { fileOfDataURL } from '../../../providers/core/data-url.ts'
import { failedError, mapFinishReason, outputEnd } from '../../../providers/core/finish-reason.ts'
import {
  asCount,
  asList,
  asRecord,
  asText,
  type JsonRecord,
  omitUndefined,
} from '../../../providers/core/read-json.ts'
import { incompleteError } from '../../../providers/core/provider-error.ts'
import type { ModelRequest } from '../../../providers/provider.ts'
import { modelError } from './model-error.ts'
import { type Block, optionsOf, storedBlocks } from './own-content.ts'

interface ReadCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly text: string
}

type TextKind = 'text' | 'reasoning'

/**
 * Reads the stream of one answer. Relies only on the `type` of a part: models implement several specification versions.
 */
export class PartReader {
  readonly #request: ModelRequest
  /** Key in `providerMetadata` under which the model's own blocks are stored. */
  readonly #id: string
  readonly #blocks: Block[] = []
  /** Blocks that are being written, by kind and id. */
  readonly #openBlocks = new Map<string, Block>()
  readonly #calls: ReadCall[] = []
  /** Ids of calls whose input deltas are ignored. */
  readonly #hiddenCalls = new Set<string>()

  constructor(request: ModelRequest, id: string) {
    this.#request = request
    this.#id = id
  }

  read(value: unknown): readonly StreamPart[] {
    const part = asRecord(value) ?? {}
    const type = textOf(part['type'])
    const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
    if (kind) return this.#write(kind as TextKind, step, part)
    switch (type) {
      case 'tool-input-start':
        return this.#startInput(part)
      case 'tool-input-delta': {
        const toolCallId = textOf(part['id'])
        const delta = textOf(part['delta'])
        if (delta === '' || this.#hiddenCalls.has(toolCallId)) return []
        return [{ type: 'tool-input-delta', toolCallId, delta }]
      }
      case 'tool-call':
        return this.#addCall(part)
      case 'tool-result':
      case 'tool-approval-request':
        return [foreignTool(part)]
      case 'file':
        return [readFile(part)]
      case 'stream-start':
        return asList(part['warnings']).map(readWarning)
      case 'raw':
        return this.#request.raw ? [{ type: 'raw', data: part['rawValue'] }] : []
      case 'error':
        return [{ type: 'error', error: modelError(part['error']) }]
      case 'finish':
        return this.#finish(part)
      default:
        // Sources, response metadata, pings, and parts of future versions.
        return []
    }
  }

  #write(type: TextKind, step: string | undefined, part: JsonRecord): StreamPart[] {
    const key = `${type} ${textOf(part['id'])}`
    let block = step === 'start' ? undefined : this.#openBlocks.get(key)
    if (!block) {
      block = { type, text: '' }
      this.#openBlocks.set(key, block)
      this.#blocks.push(block)
    }
    const delta = step === 'delta' ? textOf(part['delta']) : ''
    block.text += delta
    const options = optionsOf(part)
    if (options) block.options = options
    if (step === 'end') this.#openBlocks.delete(key)
    return delta === '' ? [] : [{ type: `${type}-delta`, delta }]
  }

  #startInput(part: JsonRecord): StreamPart[] {
    const toolCallId = textOf(part['id'])
    if (part['providerExecuted'] === true) {
      this.#hiddenCalls.add(toolCallId)
      return []
    }
    // Hides plain text, which can't be shown as partial JSON.
    if (part['inputEncoding'] === 'text') this.#hiddenCalls.add(toolCallId)
    return [{ type: 'tool-input-start', toolCallId, toolName: textOf(part['toolName']) }]
  }

  #addCall(part: JsonRecord): StreamPart[] {
    if (part['providerExecuted'] === true) return [foreignTool(part)]
    const toolCallId = textOf(part['toolCallId'])
    const options = optionsOf(part)
    this.#blocks.push({ type: 'tool-call', text: toolCallId, ...(options && { options }) })
    this.#calls.push({
      toolCallId,
      toolName: textOf(part['toolName']),
      text: textOf(part['input']),
    })
    return []
  }

  #finish(part: JsonRecord): StreamPart[] {
    const { unified, raw } = readFinishReason(part['finishReason'])
    const usage = readUsage(part['usage'])
    // Reasons that don't prove a complete answer: `unknown` (version 2), `other` without a raw reason (3),
    // `interrupted` (4).
    const isProven =
      unified !== 'interrupted' &&
      unified !== 'unknown' &&
      (unified !== 'other' || raw !== undefined)
    const usageParts: StreamPart[] = Object.keys(usage).length > 0 ? [{ type: 'usage', usage }] : []
    const calls = this.#emitCalls(outputEnd(unified, isProven, true))
    const failure = isProven
      ? unified === 'error' && failedError(raw ?? unified)
      : incompleteError()
    if (failure) return [...usageParts, ...calls, { type: 'error', error: failure }]
    const stored = storedBlocks(this.#blocks)
    return [
      ...usageParts,
      ...calls,
      {
        type: 'finish',
        finishReason: mapFinishReason(unified, calls.length > 0),
        ...(raw !== undefined && { rawFinishReason: raw }),
        ...(stored && { providerMetadata: { [this.#id]: stored } }),
      },
    ]
  }

  #emitCalls(end: OutputEnd): StreamPart[] {
    const { tools } = this.#request
    return this.#calls.flatMap(({ text, ...ref }, at) => {
      const args = createArgumentText()
      args.push(text)
      const isLast = at === this.#calls.length - 1
      return callParts(ref, args, { end, isLast, isDone: true, hasStray: false, tools })
    })
  }
}

/** Reports a call of a tool that runs at the vendor. */
function foreignTool(part: JsonRecord): StreamPart {
  const name = textOf(part['toolName']) || 'a tool'
  return {
    type: 'warning',
    code: 'provider-executed-tool',
    message: `The model's vendor ran ${name} itself; only what the model reports is kept.`,
  }
}

function readFile(part: JsonRecord): StreamPart {
  const mediaType = textOf(part['mediaType'])
  const wrapped = asRecord(part['data'])
  const data = toBase64(wrapped && 'data' in wrapped ? wrapped['data'] : part['data'])
  const file = data === undefined ? null : fileOfDataURL(`data:${mediaType};base64,${data}`)
  if (file) return { type: 'file', file }
  const message = `A file of the type '${mediaType.slice(0, 100)}' was left out.`
  return { type: 'warning', code: 'file-left-out', message }
}

function toBase64(data: unknown): string | undefined {
  if (!(data instanceof Uint8Array)) return asText(data)
  const pieces: string[] = []
  for (let at = 0; at < data.length; at += PIECE)
    pieces.push(String.fromCharCode(...data.subarray(at, at + PIECE)))
  return btoa(pieces.join(''))
}

/** Bytes per `String.fromCharCode` call: engines limit the number of arguments. */
const PIECE = 8192

function readWarning(warning: unknown): StreamPart {
  const { feature, setting, tool, details, message } = asRecord(warning) ?? {}
  const unsupported = [feature, setting, asRecord(tool)?.['name']].map(asText).find(Boolean)
  const sentences = [
    asText(message),
    unsupported && `The model doesn't support ${unsupported}.`,
    asText(details),
  ]
  return {
    type: 'warning',
    code: 'ai-sdk',
    message: sentences.filter(Boolean).join(' ') || 'A warning.',
  }
}

function textOf(value: unknown): string {
  return asText(value) ?? ''
}

/** Usage counts of a `finish` part: flat in specification 2, grouped in later ones. */
function readUsage(value: unknown): Usage {
  const usage = asRecord(value) ?? {}
  const input = asRecord(usage['inputTokens'])
  const output = asRecord(usage['outputTokens'])
  return omitUndefined({
    inputTokens: asCount(input ? input['total'] : usage['inputTokens']),
    outputTokens: asCount(output ? output['total'] : usage['outputTokens']),
    cachedInputTokens: asCount(input ? input['cacheRead'] : usage['cachedInputTokens']),
    cacheWriteTokens: asCount(input?.['cacheWrite']),
    reasoningTokens: asCount(output ? output['reasoning'] : usage['reasoningTokens']),
  })
}

/** Why the model stopped: a string in specification 2, an object with `unified` and `raw` in later ones. */
function readFinishReason(value: unknown): {
  readonly unified: string
  readonly raw?: string
} {
  const reason = asRecord(value)
  const unified = asText(reason ? reason['unified'] : value) ?? 'unknown'
  const raw = asText(reason?.['raw'])
  return { unified, ...(raw !== undefined && { raw }) }
}
