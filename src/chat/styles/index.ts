import type { CSSResultGroup } from 'lit'
import { base } from './base.ts'
import { tokens } from './tokens.ts'

export const styles: CSSResultGroup = [tokens, base]
