import { pageWide } from '../lib/page-wide.ts'
import type { AgentParts } from './agent-parts.ts'

/** The agents of this page that have a worker, by id: of all copies of the package. */
export const agents: Map<string, AgentParts> = pageWide('agents', () => new Map())
