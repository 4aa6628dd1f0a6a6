const KEY = 'offstage-example-notes'
const listeners = new Set<() => void>()

export interface Note {
  readonly id: string
  readonly text: string
}

export function readNotes(): readonly Note[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(value) ? value.filter(isNote) : []
  } catch {
    return []
  }
}

/** Saves a note. An id that is already there changes nothing, so a repeated call saves one note. */
export function saveNote(text: string, id: string): void {
  const notes = readNotes()
  if (!notes.some((note) => note.id === id)) writeNotes([...notes, { id, text }])
}

export function deleteNotes(): void {
  writeNotes([])
}

export function onNotesChange(listener: () => void): void {
  listeners.add(listener)
  window.addEventListener('storage', () => listener())
}

function writeNotes(notes: readonly Note[]): void {
  localStorage.setItem(KEY, JSON.stringify(notes))
  for (const listener of listeners) listener()
}

function isNote(value: unknown): value is Note {
  if (typeof value !== 'object' || value === null) return false
  const { id, text } = value as Partial<Note>
  return typeof id === 'string' && typeof text === 'string'
}
