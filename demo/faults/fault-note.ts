import { storedValue } from '../lib/stored.ts'

/** A fault whose effect is to be reported once the run has ended. */
export interface FaultNote {
  readonly name: string
  /** Milliseconds since 1970. */
  readonly at: number
}

const store = storedValue('sessionStorage', 'kiln-fault')

/** Keeps the note in this tab, so that a reload can be reported, too. */
export const faultNote = {
  write: (name: string): void => store.write({ name, at: Date.now() }),
  clear: (): void => store.write(null),
  read(): FaultNote | undefined {
    const note = store.read()
    return isNote(note) ? note : undefined
  },
}

function isNote(value: unknown): value is FaultNote {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'at' in value &&
    typeof value.at === 'number'
  )
}
