import { findMarker } from './dialects/table.ts'

/** Whether a marker of another format starts at `at`; `'partial'` while more input may make one. */
export function matchMarker(text: string, at: number): boolean | 'partial' {
  const marker = findMarker(text, at)
  return typeof marker === 'object' || (marker ?? false)
}
