import type { CSSResultGroup } from 'lit'
import { base } from './base.ts'
import { calls } from './calls.ts'
import { frame } from './frame.ts'
import { messages } from './messages.ts'
import { tokens } from '../../shared/tokens.ts'

export const styles: CSSResultGroup = [tokens, base, frame, messages, calls]
