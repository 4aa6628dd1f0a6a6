import { storedValue } from '../lib/stored.ts'
import type { ToolEdit, ToolEdits } from './edit-tools.ts'

/** Edits of an app's tools. Waiting calls meet the same tools after a reload. */
export interface StoredEdits {
  read(): ToolEdits
  /** Undefined removes the edit. */
  write(name: string, edit: ToolEdit | undefined): void
}

export function storedEdits(app: string): StoredEdits {
  const store = storedValue('localStorage', `kiln-tools-${app}`)
  let edits = editsIn(store.read())
  return {
    read: () => edits,
    write(name, edit) {
      const { [name]: _, ...otherEdits } = edits
      edits = edit ? { ...otherEdits, [name]: edit } : otherEdits
      store.write(edits)
    },
  }
}

function editsIn(value: unknown): ToolEdits {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter(([, edit]) => isEdit(edit)))
}

function isEdit(value: unknown): value is ToolEdit {
  return (
    typeof value === 'object' &&
    value !== null &&
    'description' in value &&
    typeof value.description === 'string' &&
    'inputSchema' in value &&
    typeof value.inputSchema === 'object' &&
    value.inputSchema !== null &&
    'approval' in value
  )
}
