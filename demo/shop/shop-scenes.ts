import type { Scene } from '../app.ts'
import { OUTCOME } from '../model/outcome.ts'

export const shopScenes: readonly Scene[] = [
  {
    prompt: 'Book Thursday delivery, then reload',
    isSuggested: true,
    script: {
      match: ['deliver'],
      steps: [
        {
          text: "I'm asking the courier — about six seconds. **Reload the page now** or kill my worker: I'll pick up where I left off, and the slot will be booked exactly once.",
          toolCalls: [{ toolName: 'book_delivery', input: { slot: 'Thursday morning' } }],
        },
        {
          text: OUTCOME,
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
          text: 'Let me look in the catalogue.',
          toolCalls: [{ toolName: 'search_products', input: { query: 'blue mugs' } }],
        },
        { toolCalls: [{ toolName: 'add_to_cart', input: { sku: 'mug-blue', quantity: 2 } }] },
        {
          text: 'Done: two blue mugs went into your cart, €28.00 for the pair. *Undo* takes them out again.',
        },
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
    prompt: 'Order a bowl (needs your OK)',
    isSuggested: true,
    script: {
      match: ['order a bowl', 'order a soup bowl', 'checkout', 'check out'],
      steps: [
        { toolCalls: [{ toolName: 'add_to_cart', input: { sku: 'bowl-cream' } }] },
        {
          text: "The bowl is in your cart. Ordering costs money, so I need your approval. Ask me for a cheaper delivery, choose one yourself, or reload the page: I'll wait.",
          toolCalls: [{ toolName: 'checkout', input: { speed: 'express' } }],
        },
        {
          text: OUTCOME,
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
          text: 'Gladly. This form asks for everything at once, and it also waits through a reload.',
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
          text: 'Thank you. Your answer was checked against the form before I got it.',
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
          text: 'The shop has no coupon SUMMER99. The tool threw an error, I got its message, and the run went on. Try WELCOME10.',
        },
      ],
    },
  },
  {
    prompt: 'Find the bowls by using the page',
    isSuggested: true,
    script: {
      match: ['using the page'],
      steps: [
        {
          text: 'No tool of the shop filters the catalogue, so I use the page the way you would.',
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
          text: 'There is one. The frame marks its button. Adding it is up to you.',
        },
      ],
    },
  },
]
