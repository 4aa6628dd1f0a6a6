import { badConfig } from '../failures.ts'
import type { TriggerOptions } from './options.ts'
import { HOUR_MS, MINUTE_MS, MOST_FIRINGS } from './record.ts'

/** Default of `perHour`. */
export const PER_HOUR = 12

const NAMES: readonly string[] = [
  'id',
  'title',
  'on',
  'every',
  'at',
  'run',
  'eventId',
  'conversationId',
  'untrustedContent',
  'perHour',
  'missed',
  'whileHidden',
] satisfies (keyof TriggerOptions)[]

/** Options whose values are unchecked. */
type Given = { readonly [Name in keyof TriggerOptions]: unknown }

/** Throws `invalid-config`. */
export function checkTrigger(options: Given): void {
  const must = (name: string, isRight: boolean, kind: string): void => {
    if (!isRight) throw badConfig(`${name} of a trigger must be ${kind}.`)
  }
  for (const name of Object.keys(options))
    must(name, NAMES.includes(name), `one of ${NAMES.join()}`)
  const { id, title = id, on, every, at, run, perHour = PER_HOUR, missed = 'run' } = options
  const isLine = (text: unknown): boolean => /^.{1,200}$/.test(String(text))
  must('id', typeof id === 'string' && isLine(id), 'a line of text')
  must('title', isLine(title), 'a line of text')
  must('run', !!run && ['string', 'function'].includes(typeof run), 'a text or a function')
  const limit = Number(perHour)
  must('perHour', limit >= 1 && limit <= MOST_FIRINGS, `from 1 to ${MOST_FIRINGS}`)
  must('missed', missed === 'run' || missed === 'skip', "'run' or 'skip'")
  must('at', at === undefined || !Number.isNaN(Number(at)), 'a time')
  const least = Math.max(MINUTE_MS, Math.ceil(HOUR_MS / limit))
  must(
    'every',
    every === undefined || Number(every) >= least,
    `${least} ms or more, by its perHour`,
  )
  const sources = [on, every, at].filter((source) => source !== undefined)
  must('The source', sources.length === 1, 'one of on, every and at')
}
