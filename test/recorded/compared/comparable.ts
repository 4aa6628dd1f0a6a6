import type { OldRecording, Recording } from '../recording.ts'
import type { Compared } from './compared.ts'
import { differences } from './differences.ts'
import type { Plain } from './plain.ts'
import { asFormat1 } from './rows.ts'

/** A scenario as the code before format 2 played it, and as it is played today. */
export interface Pair {
  readonly scenario: string
  readonly old: OldRecording
  readonly now: Recording
}

/** Both in the form in which they are compared. `without`: one of the differences, to see what it is for. */
export function comparable(
  { scenario, old, now }: Pair,
  without?: string,
): { readonly old: Compared; readonly now: Compared } {
  const applied = differences.filter(({ name }) => name !== without)
  const brought = (recording: Compared, side: 'old' | 'now'): Compared =>
    applied
      .filter(({ to }) => to === side || to === 'both')
      .reduce((compared, { apply }) => apply(compared, scenario), recording)
  return { old: brought(old, 'old'), now: brought(inFormat1(now), 'now') }
}

function inFormat1({ conversations, snapshots, ...rest }: Recording): Compared {
  const inOld = Object.entries(conversations).map(([id, { journal, stored }]) => [
    id,
    { journal: asFormat1(journal), stored: stored as Plain | null },
  ])
  return {
    ...rest,
    conversations: Object.fromEntries(inOld) as Compared['conversations'],
    snapshots: snapshots as unknown as Compared['snapshots'],
  }
}
