import type { AgentParts } from './agent-parts.ts'

/** How long the agent has had nothing open. Milliseconds. */
const IDLE_MS = 2000

/** Has the worker drop what is kept no longer, whenever the agent has had nothing open for a while. */
export function keepRetention({
  agentEvents,
  ask,
  options,
  runs,
  scope,
  signal,
}: AgentParts): void {
  const { retention } = options
  if (!retention) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const drop = async (): Promise<void> => {
    if (runs.open.size > 0 || signal.aborted) return
    const conversations = await ask('retainConversations', { ...scope(), retention })
    if (conversations.length > 0) agentEvents.emit({ type: 'conversations-dropped', conversations })
  }
  const plan = (): void => {
    clearTimeout(timer)
    // What could not be done now is tried at the next time.
    timer = setTimeout(() => void drop().catch(() => undefined), IDLE_MS)
  }
  agentEvents.on('status', ({ status }) => (status === 'idle' ? plan() : clearTimeout(timer)), {
    signal,
  })
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  plan()
}
