import type { AgentParts } from './agent-parts.ts'

/** Works whenever the agent has had nothing open for so many milliseconds. `onChange`: before it is known whether it has. */
export function whenIdle(
  { agentEvents, runs, signal }: AgentParts,
  ms: number,
  work: () => Promise<void>,
  onChange: () => void = () => {},
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const plan = (): void => {
    clearTimeout(timer)
    onChange()
    // What could not be done is tried at the next time.
    if (runs.open.size === 0 && !signal.aborted)
      timer = setTimeout(() => void work().catch(() => {}), ms)
  }
  agentEvents.on('status', plan, { signal })
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  plan()
}
