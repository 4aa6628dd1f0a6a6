import { jsonFormats } from './json-formats.ts'
import type { CallFormat } from './samples.ts'
import { tagFormats } from './tag-formats.ts'
import { tokenFormats } from './token-formats.ts'

export const callFormats: readonly CallFormat[] = [...jsonFormats, ...tagFormats, ...tokenFormats]
