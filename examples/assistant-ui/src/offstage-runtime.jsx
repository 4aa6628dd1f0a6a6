import { useExternalStoreRuntime } from '@assistant-ui/react'
import { useEffect, useMemo, useSyncExternalStore } from 'react'

export function useOffstageRuntime(agent, conversationId) {
  const chat = useMemo(() => agent.conversation(conversationId), [agent, conversationId])
  const snapshot = useSyncExternalStore(chat.subscribe, chat.getSnapshot, chat.getSnapshot)
  const messages = useMemo(
    () => snapshot.messages.filter(({ role }) => role !== 'tool'),
    [snapshot],
  )
  useEffect(() => void chat.resume().catch(() => {}), [chat])
  return useExternalStoreRuntime({
    messages,
    convertMessage,
    isRunning: snapshot.runId !== undefined,
    isLoading: snapshot.status === 'loading' && messages.length === 0,
    onNew: async (message) => void chat.send(textOf(message)),
    onEdit: async (message) => void chat.edit(message.sourceId, textOf(message)),
    onReload: async (parentId) => void chat.regenerate(parentId ?? undefined),
    onCancel: async () => void (await chat.abort()),
    onRespondToToolApproval: async ({ approvalId, approved, reason }) => {
      const call = messages
        .flatMap(({ calls = [] }) => calls)
        .find(({ toolCallId }) => toolCallId === approvalId)
      await (approved ? chat.approve(call) : chat.deny(call, reason))
    },
  })
}

function convertMessage({ id, role, parts, calls = [] }) {
  const contentParts = parts.filter(
    ({ type }) => type === 'text' || (type === 'reasoning' && role !== 'user'),
  )
  const content = contentParts.map(({ type, text }) => ({ type, text }))
  return { id, role, content: [...content, ...calls.map(convertCall)] }
}

function convertCall({ toolCallId, toolName, status, input, inputText, output, error }) {
  const args = typeof input === 'object' && input !== null ? input : {}
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    args,
    argsText: inputText ?? JSON.stringify(args),
    ...(output && { result: output.value ?? output, isError: output.type === 'error' }),
    ...(error && { result: error.message, isError: true }),
    ...(status === 'awaiting-approval' && { approval: { id: toolCallId } }),
  }
}

function textOf({ content }) {
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
}
