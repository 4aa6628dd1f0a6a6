import { dash } from '../char-codes.ts'

/** Patterns of names in any script: tools (with namespaces and indices), names in `name(…)`, and parameters. */
export const toolName = '[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_.:-]{0,127}'
export const callName = '[\\p{L}_][\\p{L}\\p{M}\\p{N}_.-]*'
export const wordName = '[\\p{L}_][\\p{L}\\p{M}\\p{N}_-]*'

export function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127
}

export function isNamePart(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === dash || code === 46
}

/** Namespaces that models write before a tool's name, with a dot or a colon. */
export const namespaces: readonly string[] = [
  'functions',
  'function',
  'default_api',
  'tools',
  'tool',
  'api',
]
