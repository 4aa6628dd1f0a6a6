import type { Script, ScriptScene } from 'offstage'

interface Scene {
  readonly prompt: string
  /** Offered while a conversation is empty. */
  readonly isSuggested?: true
  readonly script: ScriptScene
}

/** What can be played without a model. A scene is chosen by words of what is said. */
const scenes: readonly Scene[] = [
  {
    prompt: 'Book a delivery for Thursday morning',
    isSuggested: true,
    script: {
      match: ['deliver'],
      steps: [
        {
          text: 'I ask the courier, which takes about six seconds. **Reload the page now**, or kill my worker: I go on where I was, and the slot is booked once.',
          toolCalls: [{ toolName: 'book_delivery', input: { slot: 'Thursday morning' } }],
        },
        {
          text: 'Thursday morning is booked, once. If you reloaded meanwhile: the call was in the journal as started, so it was run again with the same idempotency key, and the courier recognised it.',
        },
      ],
    },
  },
  {
    prompt: 'Two blue mugs, please',
    script: {
      match: ['blue mug'],
      steps: [
        {
          reasoning: 'I need the sku before I can add anything, so I search first.',
          text: 'I look for them in the catalogue.',
          toolCalls: [{ toolName: 'search_products', input: { query: 'blue mugs' } }],
        },
        { toolCalls: [{ toolName: 'add_to_cart', input: { sku: 'mug-blue', quantity: 2 } }] },
        { text: 'Done: two blue mugs went into your cart, €28.00 for the pair.' },
      ],
    },
  },
  {
    prompt: 'Add a green teapot',
    script: {
      match: ['teapot'],
      steps: [
        { toolCalls: [{ toolName: 'add_to_cart', input: { productId: 'teapot-green' } }] },
        {
          reasoning: 'There is no productId. The feedback names the parameter: sku.',
          text: 'I used a wrong parameter name, so that call never ran. Once more, with sku.',
          toolCalls: [{ toolName: 'add_to_cart', input: { sku: 'teapot-green' } }],
        },
        { text: 'The green teapot is in your cart.' },
      ],
    },
  },
  {
    prompt: 'Order a soup bowl, express',
    isSuggested: true,
    script: {
      match: ['order a soup bowl', 'checkout', 'check out'],
      steps: [
        { toolCalls: [{ toolName: 'add_to_cart', input: { sku: 'bowl-cream' } }] },
        {
          text: 'The bowl is in the cart. Ordering costs money, so this waits for you. You may choose another delivery first, or reload: it keeps waiting.',
          toolCalls: [{ toolName: 'checkout', input: { speed: 'express' } }],
        },
        {
          text: 'That is settled. If you approved, the order stands under Orders with its date; if you denied, nothing was bought and the cart is as it was. (A model would know which. I am a script.)',
        },
      ],
    },
  },
  {
    prompt: 'Wrap it as a gift',
    script: {
      match: ['gift'],
      steps: [
        {
          text: 'Gladly. The form asks for all of it at once; it waits over a reload, too.',
          toolCalls: [
            {
              toolName: 'ask_user',
              input: {
                question: 'What should the parcel look like?',
                fields: {
                  type: 'object',
                  properties: {
                    recipient: { type: 'string', title: 'For whom', minLength: 2 },
                    email: {
                      type: 'string',
                      title: 'E-mail for the tracking',
                      description: 'Only if you like.',
                      format: 'email',
                    },
                    paper: {
                      type: 'string',
                      title: 'Paper',
                      enum: ['kraft', 'blue', 'none'],
                      default: 'kraft',
                    },
                    extras: {
                      type: 'array',
                      title: 'Extras',
                      items: {
                        anyOf: [
                          { const: 'card', title: 'A card' },
                          { const: 'ribbon', title: 'A ribbon' },
                        ],
                      },
                      maxItems: 2,
                    },
                    until: { type: 'string', title: 'Not before', format: 'date' },
                    copies: { type: 'integer', title: 'Parcels', minimum: 1, default: 1 },
                    surprise: { type: 'boolean', title: 'Leave out the bill', default: true },
                  },
                  required: ['recipient', 'paper'],
                },
              },
            },
          ],
        },
        {
          text: 'Thank you. Your answer was checked against the form before I got it, and I got nothing else. (A model would do something with it. I am a script.)',
        },
      ],
    },
  },
  {
    prompt: 'Use the coupon SUMMER99',
    script: {
      match: ['coupon'],
      steps: [
        { toolCalls: [{ toolName: 'apply_coupon', input: { code: 'SUMMER99' } }] },
        {
          text: 'The shop knows no coupon SUMMER99: the tool threw an error, I got its words as the result, and the run went on. WELCOME10 works, if you want to try it.',
        },
      ],
    },
  },
  {
    prompt: 'Show me the bowls, by hand',
    isSuggested: true,
    script: {
      match: ['by hand'],
      steps: [
        {
          text: 'No tool of the shop filters what you see. So I read the page, and use it as you would.',
          toolCalls: [{ toolName: 'read_page', input: {} }],
        },
        {
          toolCalls: [
            { toolName: 'type_text', input: { ref: 'Search the catalogue', text: 'bowl' } },
          ],
        },
        {
          toolCalls: [
            {
              toolName: 'highlight',
              input: { ref: 'Add Soup bowl to the cart', note: 'This one?' },
            },
          ],
        },
        {
          text: 'There is one. The frame shows the button that puts it into your cart; I leave the press to you.',
        },
      ],
    },
  },
]

/** In the order in which they are worth a try. */
export const suggestions: readonly string[] = scenes
  .filter(({ isSuggested }) => isSuggested)
  .map(({ prompt }) => prompt)

const fallback = [
  'There is no model here, only canned answers, and none for that. These there are for:',
  '',
  ...scenes.map(({ prompt }) => `- ${prompt}`),
  '',
  'For everything else, connect a model.',
].join('\n')

export const script: Script = {
  scenes: scenes.map((scene) => scene.script),
  fallback: [{ text: fallback }],
  paceMs: 15,
  pieceLength: 3,
}
