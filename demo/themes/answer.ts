/** An answer that has a bit of everything. */
export const ANSWER = {
  text: [
    'Here is **what we have**, as [the catalogue](https://example.org/all) says:',
    '| name | price | in stock |\n| --- | --- | --- |\n| mug | 12.50 | 1,204 |\n| bowl | 18.00 | 7 |',
    '```ts\n// The order\nconst order = { sku: "mug-blue", count: 2 }\nawait send(order)\n```',
  ].join('\n\n'),
  toolCalls: [{ toolName: 'order', input: { sku: 'mug-blue', count: 2, wrapping: 'paper' } }],
}
