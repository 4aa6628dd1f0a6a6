import { compilePattern } from './regexp-program.ts'
import type { Pattern, Step } from './regexp-program.ts'

interface Thread {
  readonly step: number
  readonly at: number
  readonly saved: readonly number[]
}

export interface CountedMatch {
  /** Where the match begins and ends, as the engine would say; undefined when there is none, or none so far. */
  readonly span: readonly [number, number] | undefined
  /** The count was given up. */
  readonly isOver: boolean
  /** Steps of a backtracking engine. */
  readonly steps: number
}

const compiled = new WeakMap<RegExp, Pattern>()

/** Step budget per character. Beyond it, the exact number doesn't matter. */
const enoughForEach = 1000

/** Matches like a backtracking engine, starting at `from`, and counts the steps. */
export function countSteps(pattern: RegExp, text: string, from: number): CountedMatch {
  let known = compiled.get(pattern)
  if (!known) compiled.set(pattern, (known = compilePattern(pattern)))
  const enough = enoughForEach * (text.length + 100)
  let steps = 0
  for (let start = from; start <= text.length; start++) {
    const found = run(known.program, { step: 0, at: start, saved: [] }, { text, enough, ...known })
    steps += found.steps
    if (found.end >= 0) return { span: [start, found.end], steps, isOver: false }
    if (steps >= enough) return { span: undefined, steps, isOver: true }
    if (known.isFixed) break
    if (known.isUnicode && (text.codePointAt(start) ?? 0) > 0xffff) start++
  }
  return { span: undefined, steps, isOver: false }
}

interface Subject {
  readonly text: string
  readonly isMultiline: boolean
  /** Steps after which it gives up. */
  readonly enough: number
  /** A way through counts only if it ends there. */
  readonly until?: number | undefined
}

function put(saved: readonly number[], slot: number, at: number): number[] {
  const copy = [...saved]
  copy[slot] = at
  return copy
}

const lineEnd = /[\n\r\u2028\u2029]/

/** Ends at the first way through, or -1. */
function run(
  program: readonly Step[],
  start: Thread,
  { text, isMultiline, enough, until }: Subject,
): { readonly end: number; readonly steps: number } {
  let steps = 0
  const threads: Thread[] = [start]
  for (let thread = threads.pop(); thread && steps < enough; thread = threads.pop()) {
    let { step, at, saved } = thread
    let isAlive = true
    while (isAlive && steps < enough) {
      steps++
      const now = program[step]
      if (!now && (until === undefined || at === until)) return { end: at, steps }
      if (!now) break
      step++
      switch (now.type) {
        case 'take': {
          const width = now.width(text, at)
          isAlive = width > 0
          at += width
          break
        }
        case 'edge': {
          const beside = now.isStart ? text[at - 1] : text[at]
          isAlive = beside === undefined || (isMultiline && lineEnd.test(beside))
          break
        }
        case 'boundary': {
          const isWord = (char: string | undefined): boolean => /^\w$/.test(char ?? '')
          isAlive = (isWord(text[at - 1]) !== isWord(text[at])) === now.isWanted
          break
        }
        case 'jump':
          step += now.by
          break
        case 'split':
          threads.push({ step: step + now.second, at, saved })
          step += now.first
          break
        case 'round':
          saved = put(saved, now.loop, at)
          break
        case 'taken':
          isAlive = saved[now.loop] !== at
          break
        case 'save':
          saved = put(saved, now.slot, at)
          break
        case 'again': {
          const whole = text.slice(saved[now.group * 2] ?? 0, saved[now.group * 2 + 1] ?? 0)
          steps += whole.length
          isAlive = text.startsWith(whole, at)
          at += whole.length
          break
        }
        case 'look': {
          const isBehind = now.back > 0
          let isFound = false
          for (let back = 0; back <= Math.min(now.back, at) && !isFound; back++) {
            const from = { step: 0, at: at - back, saved }
            const until = isBehind ? at : undefined
            const look = run(now.program, from, { text, isMultiline, enough, until })
            steps += look.steps
            isFound = look.end >= 0
          }
          isAlive = isFound === now.isWanted
          break
        }
        default:
          now satisfies never
      }
    }
  }
  return { end: -1, steps }
}
