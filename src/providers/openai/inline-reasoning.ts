import { createThinkSplitter } from '../../action/think-splitter.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import { UNOPENED_REASONING } from '../unopened-reasoning.ts'

const closers = ['</think>', '</thinking>'] as const
const LONGEST_CLOSER = 11

/** Splits a model's text where `<think>` tags stand in it. */
export interface InlineReasoning {
  push(text: string): StreamPart[]
  end(): StreamPart[]
  /** Reasoning comes in a field of its own: a stray closing tag makes no reasoning of the text. */
  stopLooking(): void
}

/**
 * The think splitter, and a look-out for a closing tag that no opening tag precedes: some prompt
 * templates open the reasoning themselves. What was streamed as text before it was reasoning; a
 * warning at that place says so.
 */
export function createInlineReasoning(): InlineReasoning {
  const splitter = createThinkSplitter()
  let isLooking = true
  let tail = ''
  /** A backtick stands on the current line: a tag after it may be code. */
  let isCodeLine = false
  let read = 0
  let shown = 0

  function split(text: string): StreamPart[] {
    const parts = splitter.push(text)
    read += text.length
    for (const part of parts) {
      if (part.type === 'reasoning-delta') isLooking = false
      else if (part.type === 'text-delta') shown += part.delta.length
    }
    return parts
  }

  /** Where a closing tag ends in the text, or -1. */
  function closerEnd(text: string): number {
    if (!text.includes('>')) return -1
    const joined = tail + text
    const ends = closers.flatMap((tag) => {
      const at = joined.indexOf(tag)
      return at < 0 ? [] : [at + tag.length - tail.length]
    })
    return ends.length === 0 ? -1 : Math.min(...ends)
  }

  function look(text: string): StreamPart[] {
    const end = closerEnd(text)
    const until = end < 0 ? text : text.slice(0, end)
    const lineBreak = until.lastIndexOf('\n')
    isCodeLine = (lineBreak < 0 && isCodeLine) || until.includes('`', lineBreak + 1)
    tail = end < 0 && (tail !== '' || text.includes('<')) ? tailOf(tail + text) : ''
    const parts = split(until)
    if (end < 0) return parts
    const isDropped = shown < read && !isCodeLine
    if (isLooking && isDropped) {
      isLooking = false
      parts.push(UNOPENED_REASONING)
    }
    return end < text.length ? [...parts, ...push(text.slice(end))] : parts
  }

  function push(text: string): StreamPart[] {
    return isLooking ? look(text) : splitter.push(text)
  }

  return {
    push,
    end: () => splitter.end(),
    stopLooking() {
      isLooking = false
    },
  }
}

/** What may be the beginning of a closing tag. */
function tailOf(text: string): string {
  const open = text.lastIndexOf('<')
  return text.length - open > LONGEST_CLOSER ? '' : text.slice(open)
}
