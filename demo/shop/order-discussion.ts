import type { Script } from 'offstage'

/** The tool that a model gets when a person asks about a waiting call. */
const SUGGEST_CHANGE = 'suggest_change'

/** Answers to questions about the order that waits for approval. They are no part of the conversation's own script. */
const discussion: Script = {
  scenes: [
    {
      match: ['cheap', 'standard', 'slower', 'express', 'delivery'],
      steps: [
        {
          text: 'Express arrives tomorrow and costs €4.90. Standard takes three days and costs nothing:',
          toolCalls: [{ toolName: SUGGEST_CHANGE, input: { speed: 'standard' } }],
        },
        { text: 'You decide: use the suggestion, or approve the order as it was.' },
      ],
    },
  ],
  fallback: [
    {
      text: 'I would order what your cart holds, by express. Nothing is ordered before you approve. Ask me for a cheaper delivery.',
    },
  ],
  paceMs: 15,
  pieceLength: 3,
}

/** The script for a request: another one if a person asks about the waiting order. */
export function withDiscussion(
  script: Script,
  tools: readonly { readonly name: string }[],
): Script {
  return tools.some(({ name }) => name === SUGGEST_CHANGE) ? discussion : script
}
