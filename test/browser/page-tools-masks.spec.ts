import { drive } from '../apps/drive.ts'
import { LABELS } from '../unit/page-tools/secret-labels.ts'
import { expect, test } from './support/driven.ts'
import { MORE, eachNth } from './support/more.ts'

// Places in a page that could leak a masked value to the model.

const LONG = { maxTokens: 60_000 }

/** Ways in which pages label a field. `§` is the label, `v` the value. */
const PLACES: Readonly<Record<string, string>> = {
  'a label around it': '<label>§ <input value="v"></label>',
  'a label for it': '<label for="fN">§</label><input id="fN" value="v">',
  'aria-label': '<input aria-label="§" value="v">',
  'aria-labelledby': '<span id="lN">§</span><input aria-labelledby="lN" value="v">',
  'a placeholder': '<input placeholder="§" value="v">',
  'a title': '<input title="§" value="v">',
  'a text area': '<label>§ <textarea>v</textarea></label>',
  'an editor': '<div role="textbox" contenteditable aria-label="§">v</div>',
  'a field to look at': '<div role="textbox" aria-readonly="true" aria-label="§">v</div>',
}

for (const [at, [place, html]] of Object.entries(PLACES).entries())
  test(
    `secrets in all languages are masked when named by ${place}`,
    eachNth(9, at),
    async ({ openPage }) => {
      const rows = Object.values(LABELS).flatMap(({ secret, plain }) => [
        ...secret.map((label) => ({ label, value: 'CANARY' })),
        ...plain.map((label) => ({ label, value: 'Ordinary' })),
      ])
      const body = rows
        .map(({ label, value }, index) => {
          const named = html
            .replaceAll('N', String(index))
            .replaceAll('§', label.replace(/"/g, '&quot;'))
          return named.replace(/(?<=[">])v(?=["<])/, `${value}-${index}x`)
        })
        .join('\n')
      const page = await openPage({ body: `<main>${body}</main>` })
      const { call } = await drive(page, LONG)
      let text = ''
      for (let from: string | undefined; ;) {
        const part = await call('read_page', from ? { from } : {})
        text += part
        const next = /\[from=(e\d+)\]/.exec(part)?.[1]
        if (!next || next === from) break
        from = next
      }
      expect(text.match(/CANARY-\d+x/g) ?? []).toEqual([])
      const missing = rows.flatMap(({ label, value }, index) =>
        value === 'Ordinary' && !text.includes(`Ordinary-${index}x`) ? [label] : [],
      )
      expect(missing).toEqual([])
    },
  )

const SECRET_FIELDS: Readonly<Record<string, string>> = {
  'a card number in any field': '<label>Reference <input value="4111 1111 1111 1111"></label>',
  'the parts of a card number':
    '<fieldset><legend>Pay</legend><input maxlength="4" value="4111"><input maxlength="4" value="1111"><input maxlength="4" value="1111"><input maxlength="4" value="1111"></fieldset>',
  'the empty parts of a card number, as they are filled':
    '<div><span><input maxlength="4" inputmode="numeric" value="4111"></span><span><input maxlength="4" inputmode="numeric" value="1111"></span><span><input maxlength="4" inputmode="numeric"></span><span><input maxlength="4" inputmode="numeric"></span></div>',
  'a code of six digits':
    '<label>Code <input inputmode="numeric" maxlength="6" value="411111"></label>',
  'a code by its pattern':
    '<label>Code <input type="text" pattern="\\d{6}" value="411111"></label>',
  'a code by its words': '<label>Enter the 6-digit code we sent <input value="411111"></label>',
  'a text that is drawn as dots':
    '<label>Word <input style="-webkit-text-security: disc" value="411111"></label>',
  'an editor that is drawn as dots':
    '<div contenteditable role="textbox" aria-label="Word" style="-webkit-text-security: square">411111</div>',
  'a month of a card':
    '<label>Valid <input type="month" autocomplete="cc-exp" value="4111-11"></label>',
  'a slider': '<label>PIN <input type="range" max="999999" value="411111"></label>',
  'a card number in a text area': '<label>Note <textarea>4111/1111/1111/1111</textarea></label>',
  'a card number in an editor':
    '<div contenteditable role="textbox" aria-label="Note">4111.1111.1111.1111</div>',
  'a card number in other digits': '<label>Note <input value="٤١١١١١١١١١١١١١١١"></label>',
  'a text of a page that is drawn as dots':
    '<p>Word <b style="-webkit-text-security: disc">411111</b></p>',
  'what a slider of a component says':
    '<div role="slider" tabindex="0" aria-label="PIN" aria-valuenow="1" aria-valuetext="411111"></div><p>You chose 411111</p>',
  'the choice of a question': '<label>Security question <select><option>411111</select></label>',
  'a number that a group is named by':
    '<fieldset><legend>Social security number</legend><input maxlength="3" value="411"><input maxlength="2" value="11"><input maxlength="4" value="1111"></fieldset>',
}

test('text typed into secret fields is masked', MORE, async ({ openPage }) => {
  for (const [what, body] of Object.entries(SECRET_FIELDS)) {
    const page = await openPage({ body })
    const { call } = await drive(page)
    const said = [await call('read_page'), await call('find', { role: 'textbox' })].join('\n')
    expect.soft(said, what).toContain('[masked]')
    expect.soft(said, what).not.toMatch(/: (4111|411|1111|11)\b|411111|٤١١/)
  }
})

const SHADOW = (inside: string): string => `<template shadowrootmode="open">${inside}</template>`

/** Ways in which a name comes from elsewhere than a label's own text. */
const NAMED: Readonly<Record<string, string>> = {
  'the label of its component': `<x-b aria-label="Password">${SHADOW('<input value="v">')}</x-b>`,
  'a label around its component': `<label>Password <x-c>${SHADOW('<input value="v">')}</x-c></label>`,
  'a slotted label': `<x-d>${SHADOW('<label for="q"><slot></slot></label><input id="q" value="v">')}<span>Password</span></x-d>`,
  'an element with aria-label':
    '<span id="l" aria-label="Password"></span><input aria-labelledby="l" value="v">',
  'an element with a title':
    '<span id="l" title="Password"></span><input aria-labelledby="l" value="v">',
  'a picture in its label': '<label><img alt="Password"><input value="v"></label>',
  'the words of a style':
    '<style>#l::before { content: "Password" }</style><label id="l" for="i"></label><input id="i" value="v">',
  'a word with a soft hyphen': '<label>Pass&shy;word<input value="v"></label>',
  'a word in parts': '<label><b>Pass</b><i>word</i><input value="v"></label>',
  'aria-placeholder': '<div contenteditable aria-placeholder="Password">v</div>',
  'its fieldset': '<fieldset><legend>Password</legend><input value="v"></fieldset>',
  'its group':
    '<div role="group" aria-label="Credit card number"><input maxlength="4" value="v"></div>',
  'the heading of its row': '<table><tr><th>Password</th><td><input value="v"></td></tr></table>',
}

test('a field is secret whichever attribute names it', MORE, async ({ openPage }) => {
  const rows = Object.entries(NAMED).map(([what, html], index) => ({
    what,
    html,
    value: `Zq${index}canary`,
  }))
  for (const { what, html, value } of rows) {
    const page = await openPage({ body: '<main></main>' })
    await page.evaluate(
      (made) => document.querySelector('main')?.setHTMLUnsafe(made),
      html.replace(/(?<=value=")v(?=")|(?<=>)v(?=<)/, value),
    )
    const { call } = await drive(page)
    expect.soft(await call('find', { role: 'textbox' }), what).not.toContain(value)
    const said = await call('read_page')
    expect.soft(said, what).not.toContain(value)
    expect.soft(said, what).toContain('[masked]')
  }
})

test("a call's own input is echoed unmasked, and reveals nothing", MORE, async ({ openPage }) => {
  const page = await openPage({
    body: '<label>PIN <input inputmode="numeric" value="4821"></label><button>Okay</button><label>Note <input></label><label>More <input value="see "></label>',
  })
  const { call } = await drive(page)
  await call('read_page')
  const pins = Array.from({ length: 20 }, (_, index) => String(4810 + index)).join(' ')
  const said = [
    await call('wait_for', { text: pins, timeoutMs: 150 }),
    await call('wait_for', { name: pins, role: 'button', timeoutMs: 150 }),
    await call('scroll', { until: pins }),
    await call('click', { ref: pins }),
    await call('fill_form', { fields: [{ ref: pins, value: 'x' }] }),
    await call('select_option', { ref: 'Okay', options: [pins] }),
    await call('type_text', { ref: 'Note', text: pins }),
    await call('type_text', { ref: 'More', text: pins, mode: 'append' }),
  ]
  for (const text of said) {
    expect(text).toContain('4821')
    expect(text).not.toContain('[masked]')
  }
  const read = await call('read_page')
  expect(read).toMatch(/"Note" \[ref=e\d+\]: 4810 .*4821/)
  expect(read).toMatch(/"PIN" \[ref=e\d+\]: \[masked\]/)
})

const ORDINARY: Readonly<Record<string, string>> = {
  'a number that is no card': '<label>Order <input value="1234567812345670"></label>',
  'a card number in prose': '<p>Test with 4111 1111 1111 1111</p>',
  'a card number in a table':
    '<table><tr><th>Number</th></tr><tr><td>4111 1111 1111 1111</td></tr></table>',
  'a promo code':
    '<label>Promo code <input inputmode="numeric" maxlength="6" value="123456"></label>',
  'a postal code':
    '<label>PIN code <input autocomplete="postal-code" maxlength="6" value="560001"></label>',
  'a code of letters': '<label>Course code <input maxlength="6" value="CS1014"></label>',
  'four quantities':
    '<div><input aria-label="A" maxlength="4" value="1001"><input aria-label="B" maxlength="4" value="1002"><input aria-label="C" maxlength="4" value="1003"><input aria-label="D" maxlength="4" value="1004"></div>',
  'a date': '<label>Day <input type="date" value="2026-03-09"></label>',
  'a search': '<input type="search" aria-label="Search" value="mugs">',
}

test('text that only looks like a secret is not masked', MORE, async ({ openPage }) => {
  for (const [what, body] of Object.entries(ORDINARY)) {
    const page = await openPage({ body })
    const { call } = await drive(page)
    expect.soft(await call('read_page'), what).not.toContain('[masked]')
  }
})

const CANARY = 'Balance 4711 CANARY'

const ATTRIBUTES: Readonly<Record<string, string>> = {
  'the label of a button': `<button aria-label="${CANARY}">x</button>`,
  'the label of a part': `<section aria-label="${CANARY}"><p>x</p></section>`,
  'the label of a field': `<input aria-label="${CANARY}">`,
  'a placeholder': `<input placeholder="${CANARY}">`,
  'a title': `<button title="${CANARY}">1</button>`,
  'the title of a cell': `<div role="gridcell" tabindex="0" title="${CANARY}">1</div>`,
  'the words for an image': `<img alt="${CANARY}" src="data:,">`,
  'the words for a value': `<div role="slider" tabindex="0" aria-label="x" aria-valuenow="1" aria-valuetext="${CANARY}"></div>`,
  'the words for progress': `<progress aria-valuetext="${CANARY}" value="1" max="2"></progress>`,
  'a description': `<button aria-description="${CANARY}">x</button>`,
  'a current state': `<a href="#x" aria-current="${CANARY}">x</a>`,
  'a sort order': `<table><tr><th aria-sort="${CANARY}">x</th></tr></table>`,
  'the options of a list': `<select aria-label="x"><option>${CANARY}</select>`,
  'the value of an output': `<output>${CANARY}</output>`,
  'the words of a meter': `<meter aria-label="${CANARY}" value="0.5">x</meter>`,
}

for (const [at, [what, html]] of Object.entries(ATTRIBUTES).entries())
  test(`masking an element hides ${what}`, eachNth(15, at), async ({ openPage }) => {
    for (const body of [
      `<div data-offstage-mask>${html}</div>`,
      html.replace(/^<(\w+)/, '<$1 data-offstage-mask'),
    ]) {
      const page = await openPage({ body: `<main>${body}<p>After</p></main>` })
      const { call } = await drive(page)
      const said = [await call('read_page')]
      for (const query of [
        { text: 'Balance' },
        { name: 'Balance' },
        { name: CANARY },
        { text: CANARY },
      ])
        said.push(await call('find', query))
      for (const ref of [CANARY, 'Balance'])
        said.push(await call('click', { ref }), await call('highlight', { ref }))
      await page.evaluate(() => document.querySelector('main')?.firstElementChild?.remove())
      said.push(await call('read_page', { since: 's1' }))
      // Errors repeat what the test itself asked for.
      const own = /(named|matches|Waited, but) "[^"\n]*"/g
      for (const text of said) expect(text.replace(own, '')).not.toMatch(/CANARY|4711|Balance/)
      expect(said.slice(5, 9).join('\n')).not.toMatch(/Clicked|Shown/)
    }
  })

const HIDDEN_FROM_MODELS: Readonly<Record<string, string>> = {
  'the options of a secret list':
    '<label>Secret answer <select size="3"><option>no</option><option selected>the word is swordfish</option></select></label>',
  'the suggestions for a password':
    '<label>Password <input list="l"></label><datalist id="l"><option>the word is swordfish</option></datalist>',
  'a text area with a secret': '<label>Password <textarea>the word is swordfish</textarea></label>',
  'a masked part': '<p data-offstage-mask>the word is swordfish</p>',
  'an ignored part': '<p data-offstage-ignore>the word is swordfish</p>',
  'a denied part': '<p class="deny">the word is swordfish</p>',
  'a masked part among others':
    '<ul><li>one<li data-offstage-mask>the word is swordfish<li>two</ul>',
  'a secret field': '<label>Password <input value="the word is swordfish"></label>',
  'an editor with a secret':
    '<div role="textbox" contenteditable aria-label="PIN">the word is swordfish</div>',
  'prose that repeats a secret':
    '<label>Password <input value="the word is swordfish"></label><p>You typed the word is swordfish</p>',
}

for (const [what, body] of Object.entries(HIDDEN_FROM_MODELS))
  test(`no query reveals ${what} to a model`, MORE, async ({ openPage }) => {
    const page = await openPage({ body: `<main>${body}<button>Next</button></main>` })
    const { call } = await drive(page, { deny: ['.deny'] })
    const guesses = ['the word is swordfish', 'the word is', 'swordfish', 'the word is swordfisj']
    for (const text of guesses) {
      expect(await call('wait_for', { text, timeoutMs: 150 })).toMatch(/^timeout: /)
      expect(await call('wait_for', { text, gone: true, timeoutMs: 150 })).toContain('is gone')
      expect(await call('wait_for', { name: text, timeoutMs: 150 })).toMatch(/^timeout: /)
      expect(await call('find', { text })).toContain('Nothing on the page matches')
      expect(await call('find', { name: text })).toContain('Nothing on the page matches')
      expect(await call('scroll', { until: text })).toContain('did not appear')
    }
    expect(await call('wait_for', { text: 'Next', timeoutMs: 5000 })).toContain('is there')
  })

/** A value of a secret field, and how a page shows it again in pieces that an outline has in one line. */
const SPLIT: readonly (readonly [what: string, value: string, body: string])[] = [
  ['elements of a line', 'hunter2-walrus', '<p>You typed <b>hunter2</b><i>-wal</i><u>rus</u>.</p>'],
  [
    'a card number in groups',
    '4111111111111111',
    '<p>Card <b>4111</b><b>1111</b><b>1111</b><b>1111</b></p>',
  ],
  [
    'single letters',
    'walrus77',
    `<p>${Array.from('walrus77', (letter) => `<span>${letter}</span>`).join('')}</p>`,
  ],
  [
    'cells',
    'hunter2-walrus',
    '<table><tr><th>A<th>B</tr><tr><td>hunter2-</td><td>walrus</td></tr></table>',
  ],
]

for (const [at, [what, value, body]] of SPLIT.entries())
  test(`a secret shown split over ${what} is removed`, eachNth(4, at), async ({ openPage }) => {
    const page = await openPage({
      body: `<label>Password <input value="${value}"></label><button onclick="window.echo()">Show it</button>`,
    })
    await page.evaluate((html) => {
      const echo = (): void => {
        document.body.append(document.createElement('main'))
        document.querySelector('main')?.setHTMLUnsafe(html)
      }
      Object.assign(window, { echo })
    }, `${body}<p>After</p>`)
    const { call } = await drive(page)
    const said = [
      await call('read_page'),
      await call('click', { ref: 'Show it' }),
      await call('read_page'),
      await call('find', { text: 'After' }),
    ]
    await page.evaluate(() => document.querySelector('main')?.remove())
    said.push(await call('read_page', { since: 's1' }))
    for (const text of said) expect(text).not.toMatch(/hunter2|walrus|-wal|1111|w a l/)
    expect(said[2]).toContain('After')
  })

test(
  'text resembling part of a secret stays where the secret is not shown',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<label>Password <input value="harbour-2026"></label><label>Code <input maxlength="6" inputmode="numeric" value="123456"></label>
      <h1>Harbour news 2026</h1><p>harbour</p><p>In 2026</p><nav>${[1, 2, 3, 4, 5, 6, 7].map((n) => `<a href="#${n}">${n}</a>`).join(' ')}</nav>
      <p>1 2 3 4 5 6</p><table><tr><td>12</td><td>3456</td></tr></table><p><b>The 2026</b> <i>harbour</i></p>`,
    })
    const { call } = await drive(page)
    const text = await call('read_page')
    for (const shown of [
      'Harbour news 2026',
      'text: harbour',
      '1 2 3 4 5 6',
      '12 | 3456',
      'The 2026',
    ])
      expect(text).toContain(shown)
    expect(text.match(/\[masked\]/g)).toHaveLength(2)
  },
)

test('a masked field keeps the name from its surrounding label', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<label>Note <input data-offstage-mask value="SECRET"></label><label>Memo <i data-offstage-mask>SECRET</i> <textarea></textarea></label>
      <label data-offstage-mask>SECRET <input value="a"></label><label><i data-offstage-mask>SECRET</i> <input value="b"></label>
      <label>Text <input data-offstage-mask title="SECRET" placeholder="SECRET"></label>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  expect(text).not.toContain('SECRET')
  for (const shown of ['textbox "Note"', 'textbox "Memo"', 'textbox "Text"'])
    expect(text).toContain(shown)
  expect(text.match(/textbox "\[masked\]"/g)).toHaveLength(2)
  expect(await call('find', { name: 'Note' })).not.toContain('SECRET')
})

/** Ways in which a name is made of a part (`§` its attribute, `W` its word) that stands in a component, a frame or elsewhere. */
const LENT: readonly string[] = [
  `<label>Town <x-a>${SHADOW('<i §>W</i>')}</x-a> <input></label>`,
  `<x-a>${SHADOW('<label for="q">Town <slot></slot></label><input id="q">')}<u §>W</u></x-a>`,
  '<label>Town <iframe srcdoc="<i §>W</i>"></iframe> <input></label>',
  `<label><input type="checkbox" style="display: none"><x-a>${SHADOW('<i §>W</i>')}</x-a></label>`,
  `<x-a>${SHADOW('<label><input type="checkbox" style="display: none"><slot></slot></label>')}<u §>W</u></x-a>`,
  '<label><input type="checkbox" style="display: none"><iframe srcdoc="<i §>W</i>"></iframe></label>',
  `<button><x-a>${SHADOW('<i §>W</i>')}</x-a></button>`,
  `<x-a>${SHADOW('<button>Town <slot></slot></button>')}<u §>W</u></x-a>`,
  `<x-a>${SHADOW(`<x-b>${SHADOW('<button>Town <slot></slot></button>')}<slot></slot></x-b>`)}<u §>W</u></x-a>`,
  `<x-a>${SHADOW('<h2>Town <slot></slot></h2>')}<u §>W</u></x-a>`,
  `<div id="lN">Town <x-a>${SHADOW('<i §>W</i>')}</x-a></div><input aria-labelledby="lN">`,
  `<x-a>${SHADOW('<div id="l">Town <slot></slot></div><input aria-labelledby="l">')}<u §>W</u></x-a>`,
  '<div id="lN" hidden>Town <b §>W</b></div><input aria-labelledby="lN">',
  '<b id="lN" hidden §>W</b><input aria-labelledby="lN">',
  '<b id="lN" §>W</b><button>Town <span aria-labelledby="lN">x</span></button>',
  '<b id="lN" §>W</b><label>Town <span aria-labelledby="lN">x</span><input></label>',
  '<label for="fN" §>W</label><button>Town <input type="checkbox" id="fN"></button>',
  '<label>Town <label><i §>W</i><input></label></label>',
  '<label>Town <span style="display: contents"><i §>W</i></span><input></label>',
  '<fieldset><legend>Town <i §>W</i></legend><input></fieldset>',
  '<table><caption>Town <i §>W</i></caption><tr><td>1</td></tr></table>',
  '<table><tr title="Town"><td><b §>W</b></td><td>x</td></tr></table>',
  '<button title="Town">1 <b §>W</b></button>',
  '<label for="fN">Town <i §>W</i></label><select id="fN" style="display: none"></select><div role="combobox" tabindex="0"></div>',
  '<section><div>Town <i §>W</i></div><div role="slider" tabindex="0" aria-valuenow="1"></div></section>',
  '<section><label for="fN">Town <i §>W</i></label><div id="fN" role="slider" tabindex="0" aria-valuenow="1"></div></section>',
  '<div role="tree"><div role="treeitem" tabindex="0">Town <i §>W</i><div role="group"><div role="treeitem">In</div></div></div></div>',
  '<select aria-label="Town"><option>One</option><option §>W</option></select>',
  '<select aria-label="Town"><option>One</option><option selected §>W</option></select>',
  '<button §>W</button>',
  '<button>Town <b §>W</b></button>',
  '<a href="#x" §>W</a>',
  '<details><summary>Town <i §>W</i></summary>x</details>',
  '<p §><img>W</p>',
]
const NOT_OF_DOTS: readonly string[] = [
  `<x-a>${SHADOW('<button>Town <slot></slot></button>')}<img alt="W" §></x-a>`,
  '<label for="fN"><img></label><input id="fN" title="W" §>',
  '<label for="fN"></label><button id="fN" §>W</button>',
  `<x-a role="button" tabindex="0">${SHADOW('<i>Town</i>')}<u §>W</u></x-a>`,
]

/** Words of few letters: they aren't removed from elsewhere. */
const wordOf = (at: number): string => `Z${'bcdfghjk'.charAt(at >> 3)}${'lmnpqrst'.charAt(at & 7)}o`

const PRIVATE: Readonly<Record<string, string>> = {
  'is masked': 'data-offstage-mask',
  'is ignored': 'data-offstage-ignore',
  'is denied': "class='deny'",
  'is drawn as dots': "style='-webkit-text-security: disc'",
}

for (const [what, attribute] of Object.entries(PRIVATE))
  test(`an element that ${what} names nothing, in any place`, MORE, async ({ openPage }) => {
    const page = await openPage({ body: '<main></main>' })
    const cases = what === 'is drawn as dots' ? LENT : [...LENT, ...NOT_OF_DOTS]
    const made = cases.map((html, at) =>
      html
        .replaceAll('§', attribute)
        .replace(/\bW\b/, wordOf(at))
        .replace(/(?<=id="[lf]|labelledby="l|for="f)N/g, String(at)),
    )
    await page.evaluate(
      async (html) => {
        document.querySelector('main')?.setHTMLUnsafe(html)
        for (const frame of document.querySelectorAll('iframe'))
          await new Promise((resolve) => {
            if (
              frame.contentDocument?.readyState === 'complete' &&
              frame.contentDocument.body.firstChild
            )
              resolve(null)
            else frame.addEventListener('load', resolve)
          })
      },
      made.map((html) => `<div>${html}</div>`).join(''),
    )
    const { call } = await drive(page, { ...LONG, deny: ['.deny'] })
    const said = [await call('read_page')]
    for (const role of ['button', 'textbox', 'checkbox', 'combobox', 'slider', 'heading', 'link'])
      said.push(await call('find', { role }))
    for (const query of [{ text: 'Town' }, { name: 'Town' }]) said.push(await call('find', query))
    const told = cases.filter((_, at) => said.some((text) => text.includes(wordOf(at))))
    expect(told).toEqual([])
    for (const shown of ['textbox', 'combobox', 'slider'])
      expect(said[0]).toContain(`${shown} "Town"`)
    expect(said[0]).toMatch(/"One"(, "\[masked\]")?$/m)
    if (what === 'is drawn as dots') expect(said[0]).toContain('link "[masked]"')
  })

test('unreadable elements name no other element', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<header id="outer">OUTER words</header><main id="root">
      <div class="deny" id="denied">DENIED words</div><div data-offstage-ignore id="ignored">IGNORED words</div>
      <button aria-labelledby="denied">1</button><button aria-labelledby="ignored">2</button><button aria-labelledby="outer">3</button>
      <label class="deny" for="a">DENIED label</label><input id="a"><label data-offstage-ignore for="b">IGNORED label</label><input id="b" placeholder="By itself">
      <button>Send <span class="deny">DENIED part</span></button><label>Town <i data-offstage-ignore>IGNORED part</i> <input></label>
      <a href="#x"><span data-offstage-ignore>IGNORED link</span>Read</a></main><label for="c">OUTER label</label>`,
  })
  const { call } = await drive(page, { deny: ['.deny'], root: '#root' })
  const text = await call('read_page')
  expect(text).not.toMatch(/DENIED|IGNORED|OUTER/)
  for (const shown of ['button "Send"', 'textbox "Town"', 'textbox "By itself"', 'link "Read"'])
    expect(text).toContain(shown)
  for (const word of ['DENIED', 'IGNORED', 'OUTER'])
    for (const rest of ['words', 'label', 'part', 'link']) {
      const name = `${word} ${rest}`
      expect(await call('find', { name })).toContain('Nothing on the page matches')
      expect(await call('find', { text: name })).toContain('Nothing on the page matches')
      expect(await call('click', { ref: name })).toMatch(/^(not-found|outside): /)
    }
})

test('a label passes no click into or out of a denied part', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<div class="deny"><input type="checkbox" id="in"><label for="out" id="bad" onclick="window.pressed = 1">Label in the denied part</label></div>
      <label for="in">Allowed words</label>
      <input type="checkbox" id="out" aria-label="Mine" style="opacity: 0; width: 0; height: 0"><p>Rest</p>`,
  })
  const { call } = await drive(page, { deny: ['.deny'] })
  const said = [
    await call('click', { ref: 'Allowed words' }),
    await call('set_checked', { ref: 'Allowed words', checked: true }),
  ]
  for (const text of said) expect(text).toMatch(/^outside: /)
  await call('set_checked', { ref: 'Mine', checked: true })
  expect(
    await page.evaluate(() => ({
      inside: document.querySelector<HTMLInputElement>('#in')?.checked,
      pressed: (window as unknown as { pressed?: number }).pressed ?? 0,
    })),
  ).toEqual({ inside: false, pressed: 0 })
})

test(
  'a former password field stays secret, and so does its replacement',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: '<form><label for="k">Zugang</label><input type="password" id="k" name="zugang" value="hunter22"></form><label>Note <input name="note" value="Ordinary"></label>',
    })
    const { call } = await drive(page)
    expect(await call('read_page')).toContain('"Zugang" [type=password] [ref=')
    await page.evaluate(() => {
      const before = document.querySelector('#k')!
      const twin = document.createElement('input')
      twin.id = 'k'
      twin.value = 'other-33'
      before.replaceWith(twin)
    })
    const text = await call('read_page')
    expect(text).toMatch(/textbox "Zugang" \[ref=e\d+\]: \[masked\]/)
    expect(text).not.toContain('other-33')
    expect(text).toContain('Ordinary')
  },
)

test('keys and tokens are removed everywhere', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<p>Your key is sk-proj-abcdefghijklmnopqrstuvwx</p><input aria-label="Made" readonly value="ghp_${'a1B2'.repeat(9)}">
      <table><tr><td>AKIAIOSFODNN7EXAMPLE</td></tr></table><pre>-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----</pre>`,
  })
  const { call } = await drive(page)
  const said = [
    await call('read_page'),
    await call('find', { text: 'key' }),
    await call('find', { role: 'textbox' }),
  ]
  for (const text of said) expect(text).not.toMatch(/sk-proj-|ghp_|AKIA|MIIEow/)
})

test('text typed into a secret field is not reported', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: '<label>Hasło <input></label><label>Note <input></label><p id="echo"></p><script>document.querySelector("input").oninput = ({ target }) => { echo.textContent = target.value }</script>',
  })
  const { call } = await drive(page)
  const said = [
    await call('type_text', { ref: 'Hasło', text: 'correct horse 9' }),
    await call('read_page'),
    await call('press_key', { key: 'Control+A' }),
    await call('read_selection'),
  ]
  for (const text of said) expect(text).not.toContain('horse')
  expect(await page.evaluate(() => document.querySelector('input')?.value)).toBe('correct horse 9')
})

const PASSWORD = '<input type="password" value="hunter2-secret">'

test('a table of masked cells does not unmask other secrets', MORE, async ({ openPage }) => {
  const cells = Array.from(
    { length: 600 },
    (_, at) => `<tr><td data-offstage-mask>account ${10_000_000 + at * 7919} x</td></tr>`,
  ).join('')
  const page = await openPage({
    body: `${PASSWORD}<p>echo hunter2-secret</p><p><b>hunter2</b><i>-secret</i></p><table>${cells}</table>`,
  })
  const { call } = await drive(page)
  expect(await call('read_page')).not.toMatch(/hunter2|secret/)
})

test(
  'masked texts with a common beginning leave no ending, and dots name nothing',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<p data-offstage-mask>hunter22!!!!!!!!</p><p data-offstage-mask>hunter22-secret</p>
      <p data-offstage-mask>hunter22?</p><p>Echo hunter22-secret</p>
      <label><input type="checkbox" style="display: none"><b style="-webkit-text-security: disc">41111111</b></label>
      <label><input type="checkbox" style="display: none"><b>Remember me</b></label>`,
    })
    const { call } = await drive(page)
    const read = await call('read_page')
    expect(read).toContain('Remember me')
    expect(read).not.toMatch(/hunter|secret|4111/)
  },
)

test(
  'many texts with the beginning of masked texts are scanned only once',
  MORE,
  async ({ openPage }) => {
    const rows = (begin: string, count: number, inCell: string): string =>
      Array.from(
        { length: count },
        (_, at) => `<li ${inCell}>${begin}${10_000_000 + at * 7919} x</li>`,
      ).join('')
    const page = await openPage({
      body: `<ul>${rows('account ', 200, 'data-offstage-mask')}</ul><ul>${rows('account 9', 300, '')}</ul>`,
    })
    const { call } = await drive(page)
    await call('read_page')
    await page.evaluate(() => {
      const counted = globalThis as unknown as { styles: number }
      counted.styles = 0
      const { getComputedStyle } = window
      window.getComputedStyle = (...of) => {
        counted.styles += 1
        return getComputedStyle.call(window, ...of)
      }
    })
    const found = await call('find', { text: '07919' })
    expect(found).toContain('account 910007919')
    expect(found).not.toContain('account 1')
    const styles = await page.evaluate(() => (globalThis as unknown as { styles: number }).styles)
    expect(styles).toBeLessThan(20_000)
  },
)

test('text that is cut within a secret shows no part of it', MORE, async ({ openPage }) => {
  const before = 'x '.repeat(114)
  const page = await openPage({
    body: `${PASSWORD}<p>${before}hunter2-secret and more</p><table><tr><td>${before}hunter2-secret</td><td>b</td></tr></table>
      <p>${'pad '.repeat(200)}needle ${'y'.repeat(46)} hunter2-secret tail</p>
      <p id="gone">${'x '.repeat(36)}hunter2-secret</p><button onclick="gone.remove()">Go</button>
      <button data-action="hunter2-secret"><i></i></button>`,
  })
  const { call } = await drive(page)
  const said = [
    await call('read_page'),
    await call('find', { text: 'needle' }),
    await call('click', { ref: 'Go' }),
  ]
  for (const text of said) expect(text).not.toMatch(/hunt|secr/)
  expect(said[1]).toContain('needle')
})

test('a selection or replacement covers a whole secret or none of it', async ({ openPage }) => {
  const page = await openPage({
    body: `<label>Password ${PASSWORD}</label><p role="note" aria-label="Note">Your password is hunter2-secret ok</p><textarea aria-label="Copy">see hunter2-secret of it</textarea>`,
  })
  const { call } = await drive(page)
  const refusal = /all of that or none/
  expect(await call('select_text', { ref: 'Note', from: 17, to: 25 })).toMatch(refusal)
  expect(await call('select_text', { ref: 'Copy', from: 11, to: 18 })).toMatch(refusal)
  const cut = { ref: 'Copy', text: '', replace: { from: 4, to: 11 } }
  expect(await call('type_text', cut)).toMatch(refusal)
  expect(await page.evaluate(() => document.querySelector('textarea')?.value)).toContain(
    'hunter2-secret',
  )
  expect(await call('select_text', { ref: 'Note', from: 5, to: 34 })).toContain('[masked] ok')
  // Selects text as a user could.
  await page.evaluate(() => {
    const text = document.querySelector('p')?.firstChild
    if (text) getSelection()?.setBaseAndExtent(text, 12, text, 25)
  })
  expect(await call('read_selection')).not.toContain('hunter2')
  const range = { from: 100, to: 200 }
  expect(await call('type_text', { ref: 'Password', text: 'x', replace: range })).toContain(
    'only be replaced whole',
  )
})
