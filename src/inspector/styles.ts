import type { CSSResultGroup } from 'lit'
import { tokens } from '../stage/tokens.ts'
import { frame } from './styles/frame.ts'
import { tables } from './styles/tables.ts'

export const styles: CSSResultGroup = [tokens, frame, tables]
