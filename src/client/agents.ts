import { pageWide } from '../lib/page-wide.ts'
import type { AgentParts } from './agent-parts.ts'

/** Agents of this page that have a worker, by id. All copies of the package share the map. */
export const agents: Map<string, AgentParts> = pageWide('agents', () => new Map())
