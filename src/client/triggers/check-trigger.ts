import { hintAmong } from '../check-names.ts'
import { badConfig } from '../failures.ts'
import type { TriggerOptions } from './options.ts'
import { HOUR_MS, MINUTE_MS, MOST_FIRINGS } from './record.ts'

/** Names of all options. */
const NAMES: { readonly [Name in keyof Required<TriggerOptions>]: 1 } = {
  id: 1,
  title: 1,
  on: 1,
  every: 1,
  at: 1,
  run: 1,
  eventId: 1,
  conversationId: 1,
  untrustedContent: 1,
  perHour: 1,
  missed: 1,
  whileHidden: 1,
}

/** Default of `perHour`. */
export const PER_HOUR = 12

/** Options of which nothing is known. */
type Given = { readonly [Name in keyof TriggerOptions]: unknown }

/** Throws `invalid-config`. */
export function checkTrigger(options: Given): void {
  for (const name of Object.keys(options))
    if (!(name in NAMES))
      throw badConfig(`A trigger has no ${name}. ${hintAmong(name, Object.keys(NAMES))}`)
  const must = (name: keyof Given, isRight: boolean, kind: string): void => {
    if (!isRight) throw badConfig(`${name} of a trigger must be ${kind}.`)
  }
  const { id, title = id, on, every, at, run, eventId, perHour = PER_HOUR, missed } = options
  const isLine = (value: unknown): boolean => /^.{1,200}$/.test(String(value))
  must('id', typeof id === 'string' && isLine(id), 'a line of text')
  must('title', isLine(title), 'a line of text')
  must(
    'run',
    typeof run === 'function' || (typeof run === 'string' && run !== ''),
    'a text or a function',
  )
  must('eventId', eventId === undefined || typeof eventId === 'function', 'a function')
  must(
    'perHour',
    Number.isInteger(perHour) && Number(perHour) > 0 && Number(perHour) <= MOST_FIRINGS,
    `a whole number from 1 to ${MOST_FIRINGS}`,
  )
  must('missed', [undefined, 'run', 'skip'].includes(missed as undefined), "'run' or 'skip'")
  must('at', at === undefined || !Number.isNaN(Number(at)), 'a time')
  const least = Math.max(MINUTE_MS, Math.ceil(HOUR_MS / Number(perHour)))
  must(
    'every',
    every === undefined || (Number(every) >= least && Number(every) < Infinity),
    `${least} milliseconds or more, for a perHour of ${String(perHour)}; never less than ${MINUTE_MS}`,
  )
  if ([on, every, at].filter((source) => source !== undefined).length !== 1)
    throw badConfig('A trigger needs one of on, every and at.')
}
