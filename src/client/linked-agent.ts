import { storageKey } from '../protocol/conversation.ts'
import { createAgentPage } from './agent-page.ts'
import type { AgentParts } from './agent-parts.ts'
import { agents } from './agents.ts'
import { usableDefinition } from './describe-tools.ts'
import { rejoin } from './rejoin.ts'
import { failCrashedRun } from './run-line.ts'
import { type LinkedAgent, type LinkOptions, WorkerLink } from './worker-link.ts'

/** Connects the agent to the worker that the options name. */
export function join(options: LinkOptions, agent: AgentParts): WorkerLink {
  const { agentId } = agent.scope()
  agents.set(agentId, agent)
  agent.signal.addEventListener('abort', () => agents.delete(agentId), { once: true })
  return WorkerLink.join(options, createLinkedAgent(agent))
}

/** The agent's interface for its worker, its supervision and its tool executions. */
function createLinkedAgent(agent: AgentParts): LinkedAgent {
  const { agentEvents, config, personCheck, lists, registry, runs, signal, options } = agent
  return {
    agentId: agent.scope().agentId,
    redact: options.redact && {
      storage: storageKey(agent.scope().storage),
      by: options.redact,
      warn: (message) => agentEvents.emit({ type: 'warning', code: 'hook-failed', message }),
    },
    parts: agent,
    page: createAgentPage({
      options,
      config,
      registry,
      signal,
      warn: (code, message) => agentEvents.emit({ type: 'warning', code, message }),
    }),
    onRow: (row) => personCheck.note(row),
    onListChange(storage) {
      if (storage === undefined || storage === storageKey(agent.scope().storage))
        for (const list of lists) list.changed()
    },
    onNotice: agentEvents.emit,
    onInherited: (conversationId) => void rejoin(agent, conversationId),
    hasOpenWork: () => !signal.aborted && runs.open.size + runs.aborts.size > 0,
    failCrashedRun: (runId, error) => failCrashedRun(agent, runId, error),
    giveUp: (error) => runs.endAll({ outcome: 'failed', error: error.toData() }),
    releaseEngines() {
      for (const engine of options.engines ?? []) engine.release(agent.scope().agentId)
    },
    findTool: ({ toolName }) => registry.get(toolName),
    definitionOf: (tool) => usableDefinition(tool, registry, options),
    confirmLease: ({ conversationId, epoch }) =>
      agent.ask('confirmLease', { ...agent.scope(), conversationId, epoch }),
    hooks: ({ runId, conversationId, toolCallId, path = [toolCallId] }) => ({
      afterToolCall: options.afterToolCall,
      progress: (progress) =>
        agent.link().report({
          type: 'tool-progress',
          ...agent.scope(),
          conversationId,
          runId,
          path,
          progress,
        }),
      line: {
        callTool: (call) => agent.ask('callTool', { ...agent.scope(), ...call }),
        keepOutcomes: (kept) => agent.ask('keepOutcomes', { ...agent.scope(), ...kept }),
      },
      warn: (code, message) => agentEvents.emit({ type: 'warning', code, message }),
    }),
  }
}
