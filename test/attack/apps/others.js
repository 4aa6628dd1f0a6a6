// What other conversations and other users have: conversations, memories, blackboards.
import { createAgent } from '/dist/index.js'
import { blackboard, keywordMemory } from '/dist/memory.js'

/** The memories of an agent, shared with whom the plan says. */
export function memoriesOf({ trial, sharing }, agent) {
  const options = {
    storage: { name: `attack-${trial}` },
    scope: sharing === 'agent' ? { agent } : sharing,
  }
  const blocks = { profile: { description: 'Who the person is' } }
  return [keywordMemory(options), blackboard({ ...options, blocks })]
}

/** Another user talks with an agent of their own; the memories of another conversation, and of that agent, are filled. */
export async function fillOthers({ trial, sharing, user, kept }, model) {
  const agent = createAgent({ model, storage: { name: `attack-${trial}-bob` } })
  await agent.run(user, { conversationId: 'talk' }).result
  await agent.dispose()
  const [memory, board] = memoriesOf({ trial, sharing }, 'bob')
  const where = { conversationId: 'other' }
  await memory.remember(`Please remember: ${kept.memory}`, where)
  await board.write('profile', kept.block, where)
}
