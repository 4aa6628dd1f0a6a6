import type { AgentParts } from './agent-parts.ts'

interface IdleWork {
  /** How long nothing was open. Milliseconds. */
  readonly after: number
  work(): Promise<void>
  /** A run has begun or ended. */
  onChange?(): void
}

/** Works whenever the agent has had nothing open for a while. */
export function whenIdle(
  { agentEvents, runs, signal }: AgentParts,
  { after, work, onChange }: IdleWork,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const plan = (): void => {
    clearTimeout(timer)
    onChange?.()
    // What could not be done is tried at the next time.
    if (runs.open.size === 0 && !signal.aborted)
      timer = setTimeout(() => void work().catch(() => {}), after)
  }
  agentEvents.on('status', plan, { signal })
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  plan()
}
