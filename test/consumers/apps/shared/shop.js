// What a user of the package writes: an agent with two tools, one of which a person has to approve. A
// reload while it waits, or after the run, finds what is stored.
export async function openShop({ createAgent, defineTool, moreTools = [] }) {
  const conversationId = 'shop'
  const field = (tag, id) => {
    const element = document.createElement(tag)
    element.id = id
    document.body.append(element)
    return element
  }
  const items = field('ul', 'items')
  const approve = field('button', 'approve')
  const [facts, storage, warnings, result, stored] = [
    'facts',
    'storage',
    'warnings',
    'result',
    'stored',
  ].map((id) => field('output', id))
  const { isSecureContext, crossOriginIsolated } = globalThis
  facts.textContent = JSON.stringify({ isSecureContext, crossOriginIsolated })
  const addItem = (name) => {
    items.append(Object.assign(document.createElement('li'), { textContent: name }))
    return { added: name }
  }

  const agent = createAgent({
    model: {
      provider: 'scripted',
      model: 'script',
      // Its calls come as text, so the worker needs its part, too.
      toolMode: 'action',
      script: {
        steps: [
          { text: 'I add it.', toolCalls: [{ toolName: 'add_item', input: { name: 'blue mug' } }] },
          { text: 'I order it.', toolCalls: [{ toolName: 'send_order', input: {} }] },
          { text: 'The mug is ordered.' },
        ],
      },
    },
    tools: [
      defineTool({
        name: 'add_item',
        description: 'Adds an item to the list on the page.',
        inputSchema: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
        },
        execute: ({ name }) => addItem(name),
      }),
      defineTool({
        name: 'send_order',
        description: 'Orders what is in the list.',
        annotations: { destructive: true },
        execute: () => addItem('order'),
      }),
      ...moreTools,
    ],
  })
  agent.on('storage', ({ mode }) => (storage.textContent = mode))
  agent.on('warning', ({ code }) => (warnings.textContent += `${code} `))

  const found = await agent.conversations.get(conversationId)
  const run = found
    ? await agent.resume(conversationId)
    : agent.run('Order a blue mug, please', { conversationId })
  if (!run) {
    stored.textContent = found.messages
      .at(-1)
      .parts.map(({ text }) => text)
      .join('')
    return
  }
  for await (const { type } of run) {
    if (type !== 'tool-approval-request' && type !== 'run-snapshot') continue
    const { pending } = await agent.conversations.get(conversationId)
    approve.onclick = () => agent.approve(pending[0].toolCallId)
    approve.textContent = 'Approve'
  }
  const { outcome, text, error } = await run.result
  result.textContent = JSON.stringify({ outcome, text, error })
}
