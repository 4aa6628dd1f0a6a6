import type { RunEvent } from 'offstage'
import { byId } from '../lib/dom.ts'

/**
 * Tells screen readers what matters, once it is complete: a stream read out in pieces is noise.
 */
export function createAnnouncer(titleOf: (toolName: string) => string): (event: RunEvent) => void {
  const announcer = byId('announcer', HTMLElement)
  return (event) => {
    switch (event.type) {
      case 'tool-approval-request':
        announcer.textContent = `The agent asks for your approval: ${titleOf(event.toolName)}`
        break
      case 'run-end':
        announcer.textContent = event.result.text || `The run ended: ${event.result.outcome}`
        break
      default:
    }
  }
}
