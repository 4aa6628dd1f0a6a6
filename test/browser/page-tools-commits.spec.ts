import { MORE, inSlice } from './support/more.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, property, test } from './support/driven.ts'

// Actions that commit a user to something require approval while the conversation is tainted. Other actions never do.

const HOST = `
import { pageTools } from '/dist/page-tools.js'
const tools = new Map(pageTools().map((tool) => [tool.name, tool]))
const info = { runId: 'run', conversationId: 'talk', toolCallId: 'call' }
window.commits = (name, input) => tools.get(name).commits(input, { ...info, tainted: false })
window.judge = async (name, input) => {
  const tool = tools.get(name)
  const commits = await tool.commits(input, { ...info, tainted: false })
  const about = await (async () => tool.describe(input, info))().catch((error) => ({ text: String(error) }))
  return { commits, text: about.text }
}
window.act = (name, input, tainted) => {
  const tool = tools.get(name)
  return (async () => {
    if (tainted) await tool.commits(input, { ...info, tainted })
    return tool.execute(input, { ...info, idempotencyKey: 'key', fence: 1, signal: new AbortController().signal, progress() {} })
  })().then((text) => ({ text }), (error) => ({ code: error.code, text: error.message }))
}
document.documentElement.dataset.host = ''
`

interface Hosted {
  readonly commits: (tool: string, input: object) => Promise<boolean>
  readonly judge: (
    tool: string,
    input: object,
  ) => Promise<{ readonly commits: boolean; readonly text: string }>
  readonly act: (
    tool: string,
    input: object,
    tainted: boolean,
  ) => Promise<{ readonly code?: string; readonly text: string }>
}

type Open = (options: { body: string; errorsAllowed?: boolean }) => Promise<DrivenPage>
type Case = readonly [what: string, body: string, tool: string, input: object, says?: string]

test.beforeEach(({ site }) => site.add('/commits-host.js', { body: HOST }))

async function openHost(openPage: Open, body: string): Promise<DrivenPage> {
  const host = '<script type="module" src="/commits-host.js"></script>'
  const page = await openPage({ body: `${body}${host}`, errorsAllowed: true })
  await expect(async () =>
    expect(await property(page, 'html[data-host]', 'tagName')).toBe('HTML'),
  ).toPass()
  return page
}

const judge = (page: DrivenPage, tool: string, input: object) =>
  page.evaluate(([name, given]) => (window as unknown as Hosted).judge(name, given), [
    tool,
    input,
  ] as const)

const act = (page: DrivenPage, tool: string, input: object, tainted = true) =>
  page.evaluate(([name, given, is]) => (window as unknown as Hosted).act(name, given, is), [
    tool,
    input,
    tainted,
  ] as const)

const click = (ref: string) => ({ ref })

const POST = 'method=post action="/s"'
const COMMITS: readonly Case[] = [
  ...['Request Reservation', 'Confirm Return', 'Change e-mail'].flatMap((name): readonly Case[] => [
    [`${name} of a script`, `<button type=button>${name}</button>`, 'click', click(name)],
    [
      `${name} in a form without a method`,
      `<form><input><button>${name}</button></form>`,
      'click',
      click(name),
    ],
  ]),
  [
    'a form that is posted, whatever its button is called',
    `<form ${POST}><input aria-label=Q><button>Save</button></form>`,
    'click',
    click('Save'),
    'submits a form',
  ],
  [
    'a button that posts a form of GET',
    '<form method=get action="/s"><button formmethod=POST>Filter</button></form>',
    'click',
    click('Filter'),
    'submits a form',
  ],
  [
    'Enter in a form that is posted',
    `<form ${POST}><input aria-label=Q></form>`,
    'type_text',
    { ref: 'Q', text: 'x', enter: true },
    'submits a form',
  ],
  [
    'a label of a button that posts',
    `<form ${POST}><button id=b>3</button></form><label for=b>Go on here</label>`,
    'click',
    click('Go on here'),
    'submits a form',
  ],
  [
    'a link of this site that acts',
    '<a href="/account/delete?confirm=1">See our offer</a>',
    'click',
    click('See our offer'),
    'has an effect ("delete")',
  ],
  [
    'a link in the navigation that acts',
    '<nav><a href="/logout">Bye</a></nav>',
    'click',
    click('Bye'),
    'has an effect ("logout")',
  ],
  [
    'the address of a link that acts',
    '<a href="/account/delete?confirm=1">See our offer</a>',
    'navigate',
    { url: '/account/delete?confirm=1' },
    'like link "See our offer", which has an effect ("delete")',
  ],
  [
    'a form by its address, which acts',
    '<form method=get action="/account/delete"><button>See our offer</button></form>',
    'click',
    click('See our offer'),
    'has an effect ("delete")',
  ],
  ...[
    'Change e-mail',
    'Change password',
    'Create API key',
    'Add admin',
    'Invite',
    'Checkout',
    'Accept',
  ].map((name): Case => [
    `${name} by a script`,
    `<form><input aria-label=Q><button>${name}</button></form>`,
    'click',
    click(name),
    'has an effect',
  ]),
  ...(
    [
      ['🗑️', 'has an effect'],
      ['💳', 'has an effect'],
      ['✉️', 'has an effect'],
      ['<i class=icon-place-order></i>', 'has an effect ("place order")'],
    ] as const
  ).map(([icon, says]): Case => [
    `a button that only shows ${icon}`,
    `<button id=b>${icon}</button><label for=b>1 2 3</label>`,
    'click',
    click('1 2 3'),
    says,
  ]),
  ['a refund', '<button>Refund</button>', 'click', click('Refund'), 'has an effect ("refund")'],
  [
    'a ban in a row',
    '<table><tr><td>Ada<td><button>Ban user</button></table>',
    'click',
    click('Ban user'),
    'has an effect',
  ],
  [
    'a script’s button in the navigation',
    '<nav><a href="#" onclick="1">Delete account</a></nav>',
    'click',
    click('Delete account'),
    'has an effect',
  ],
  [
    'a link of a dialog’s footer',
    '<div role=dialog aria-label=Files><footer><a href="/delete/3">Delete</a></footer></div>',
    'click',
    click('Delete'),
    'has an effect',
  ],
  [
    'a name that a style writes',
    '<style>.x::before { content: "Pay now" }</style><button class=x></button>',
    'click',
    click('Pay now'),
    'has an effect ("pay")',
  ],
  [
    'a word of which a style writes the beginning',
    '<style>.x::before { content: "De" }</style><button class=x>lete</button>',
    'click',
    click('Delete'),
    'has an effect',
  ],
  [
    'a word of which the styles of its parts write the rest',
    '<style>.x b::after { content: "el" }</style><button class=x><b>D</b>ete</button>',
    'click',
    click('Delete'),
    'has an effect',
  ],
  [
    'words of a style that are shown under the pointer',
    '<style>.x::after { content: attr(data-tip); opacity: 0 } .x:hover::after { opacity: 1 }</style><button class=x data-tip="Delete">3</button>',
    'click',
    click('3'),
    'has an effect',
  ],
  [
    'a script’s button that a style names',
    '<style>.x::before { content: "Send" }</style><div class=x onclick="1" tabindex=0></div>',
    'click',
    click('Send'),
    'has an effect',
  ],
  [
    'OK under a heading that a style writes',
    '<style>h2::before { content: "Delete account" }</style><form><h2></h2><button>OK</button></form>',
    'click',
    click('OK'),
    'has an effect',
  ],
  [
    'a tab that shows no panel',
    '<button role=tab>Pay now</button>',
    'click',
    click('Pay now'),
    'has an effect ("pay")',
  ],
  [
    'an option of no list',
    '<button role=option aria-selected=false>Pay now</button>',
    'click',
    click('Pay now'),
    'has an effect ("pay")',
  ],
  [
    'a cart that is paid at once',
    '<button>Add to cart and pay</button>',
    'click',
    click('Add to cart and pay'),
    'has an effect ("pay")',
  ],
  [
    'a cart that is emptied and paid',
    '<button>Remove from cart and pay now</button>',
    'click',
    click('Remove from cart and pay now'),
    'has an effect ("pay")',
  ],
  [
    'an account that goes with the cart',
    '<button>Empty cart and delete account</button>',
    'click',
    click('Empty cart and delete account'),
    'has an effect ("delete")',
  ],
  [
    'a plain element by its name, in a part of which it is all',
    '<main><div style="cursor: pointer" onclick="1">Delete account</div></main>',
    'click',
    click('Delete account'),
    'generic "Delete account", has an effect',
  ],
  [
    'a plain element that only a script listens to',
    '<main><p>Delete account</p></main>',
    'click',
    click('Delete account'),
    'has an effect',
  ],
  [
    'an item of a menu that a combobox opens',
    '<div role=combobox tabindex=0 aria-label=More aria-controls=m aria-expanded=false>Pick</div><div id=m role=menu hidden><div role=menuitem>Delete</div></div>',
    'select_option',
    { ref: 'More', options: ['Delete'] },
    'has an effect',
  ],
  [
    'a letter of another script',
    '<button>\u0420ay now</button>',
    'click',
    click('\u0420ay now'),
    'has an effect ("pay")',
  ],
  [
    'a button by its name',
    '<button>Pay now</button>',
    'click',
    click('Pay now'),
    'has an effect ("pay")',
  ],
  [
    'a button in another language',
    '<button>Konto löschen</button>',
    'click',
    click('Konto löschen'),
    'has an effect ("loschen")',
  ],
  [
    'what it is called for those who see it',
    '<button aria-label="Continue">Pay now</button>',
    'click',
    click('Continue'),
    'has an effect',
  ],
  [
    'what it is called for those who don’t',
    '<button aria-label="Delete">🗑</button>',
    'click',
    click('Delete'),
    'has an effect',
  ],
  [
    'a soft hyphen in its name',
    '<button>Lö&shy;schen</button>',
    'click',
    click('Löschen'),
    'has an effect',
  ],
  [
    'an input of type submit',
    '<form><input type=submit value="Send"></form>',
    'click',
    click('Send'),
    'has an effect',
  ],
  [
    'an input with a picture',
    '<form><input type=image alt="Buy" src="data:,"></form>',
    'click',
    click('Buy'),
    'has an effect',
  ],
  [
    'a label of a button',
    '<button id=b>Order now</button><label for=b>Yes please, really</label>',
    'click',
    click('Yes please, really'),
    'has an effect',
  ],
  [
    'a menu item',
    '<div role=menu><div role=menuitem tabindex=0>Delete</div></div>',
    'click',
    click('Delete'),
    'has an effect',
  ],
  [
    'a script’s button',
    '<div onclick="1" tabindex=0>Send</div>',
    'click',
    click('Send'),
    'has an effect',
  ],
  [
    'a part of a button',
    '<button><span id=x>Publish</span></button>',
    'click',
    click('Publish'),
    'has an effect',
  ],
  [
    'a link that is a button',
    '<a href="#" onclick="1">Delete</a>',
    'click',
    click('Delete'),
    'has an effect',
  ],
  ['a short link', '<a href="/delete/3">Delete</a>', 'click', click('Delete'), 'has an effect'],
  [
    'OK under a form’s heading',
    '<form><h2>Delete account</h2><button>OK</button></form>',
    'click',
    click('OK'),
    'has an effect',
  ],
  [
    'OK under a form’s name',
    '<form aria-label="Transfer money"><button>Continue</button></form>',
    'click',
    click('Continue'),
    'has an effect',
  ],
  [
    'OK of a form in a section',
    '<section><h2>Delete account</h2><form><button>Confirm</button></form></section>',
    'click',
    click('Confirm'),
    'has an effect',
  ],
  [
    'OK of a legend',
    '<form><fieldset><legend>Send a message</legend><button>Go</button></fieldset></form>',
    'click',
    click('Go'),
    'has an effect',
  ],
  [
    'yes of a dialog',
    '<div role=dialog aria-label="Delete 3 files?"><button>Cancel</button><button>Yes</button></div>',
    'click',
    click('Yes'),
    'has an effect',
  ],
  [
    'a dialog’s own words',
    '<dialog open><p>Are you sure you want to delete this?</p><button>Keep it</button><button>Sure thing</button></dialog>',
    'click',
    click('Sure thing'),
    'has an effect',
  ],
  [
    'a reply that a form sends',
    '<form><textarea aria-label=T></textarea><button>Reply</button></form>',
    'click',
    click('Reply'),
    'has an effect',
  ],
  [
    'Enter in a form',
    '<form><input aria-label="To"><button>Send</button></form>',
    'type_text',
    { ref: 'To', text: 'x', enter: true },
    'has an effect',
  ],
  [
    'Enter in a form by its heading',
    '<form><h2>Donate</h2><input aria-label="Sum"><button>OK</button></form>',
    'type_text',
    { ref: 'Sum', text: '5', enter: true },
    'has an effect',
  ],
  [
    'Enter in a chat',
    '<div><textarea aria-label="Words"></textarea><button aria-label="Send">➤</button></div>',
    'type_text',
    { ref: 'Words', text: 'x', enter: true },
    'has an effect',
  ],
  [
    'Enter in an editor',
    '<div><div contenteditable role=textbox aria-label="Words">a</div><div><button>Post</button></div></div>',
    'press_key',
    { ref: 'Words', key: 'Control+Enter' },
    'has an effect',
  ],
  [
    'Enter on a button',
    '<button>Sign</button>',
    'press_key',
    { ref: 'Sign', key: 'Enter' },
    'has an effect',
  ],
  [
    'Space on a button',
    '<button>Sign</button>',
    'press_key',
    { ref: 'Sign', key: ' ' },
    'has an effect',
  ],
  [
    'the delete key on an item',
    '<ul role=listbox aria-label=L><li role=option tabindex=0>Mail 1</li></ul>',
    'press_key',
    { ref: 'Mail 1', key: 'Delete' },
    'has an effect',
  ],
  ...['Shift+Delete', 'Control+Delete', 'Meta+Backspace'].map((key): Case => [
    `${key} on an item`,
    '<ul role=listbox aria-label=L><li role=option tabindex=0>Mail 1</li></ul>',
    'press_key',
    { ref: 'Mail 1', key },
    'has an effect',
  ]),
  ...['hi\n', 'hi\r\n', 'hi\nyou'].map((text): Case => [
    `a line break in a field whose form pays: ${JSON.stringify(text)}`,
    '<form><label>To <input></label><button>Pay</button></form>',
    'type_text',
    { ref: 'To', text },
    'has an effect ("pay")',
  ]),
  [
    'a line break at the end of a field',
    '<form><h2>Delete account?</h2><label>To <input value=a></label><button>OK</button></form>',
    'type_text',
    { ref: 'To', text: '\n', mode: 'append' },
    'has an effect',
  ],
  [
    'a line break among fields',
    '<form><label>To <input></label><button>Pay</button></form>',
    'fill_form',
    { fields: [{ ref: 'To', value: 'x\n' }] },
    'has an effect ("pay")',
  ],
  [
    'a line break beside a button of a chat',
    '<div><div contenteditable role=textbox aria-label=Message></div><button>Send</button></div>',
    'type_text',
    { ref: 'Message', text: 'hi\n' },
    'has an effect',
  ],
  [
    'a line break in a field whose form leads to another site',
    '<form target=_blank action="https://other.example/"><label>To <input></label></form>',
    'type_text',
    { ref: 'To', text: 'x\n' },
    'another site',
  ],
  [
    'a drag by a distance onto what deletes',
    '<div style="height: 40px" role=listitem aria-label=File>File</div><button style="display: block; width: 100%; height: 40px">Delete</button>',
    'drag',
    { ref: 'File', y: 40 },
    'has an effect',
  ],
  [
    'a choice of a menu',
    '<button aria-haspopup=menu>Actions</button>',
    'select_option',
    { ref: 'Actions', options: ['Delete'] },
    'has an effect',
  ],
  [
    'a switch',
    '<button role=switch aria-checked=false>Publish</button>',
    'set_checked',
    { ref: 'Publish', checked: true },
    'has an effect',
  ],
  [
    'a switch among fields',
    '<button role=switch aria-checked=false>Publish</button>',
    'fill_form',
    { fields: [{ ref: 'Publish', value: true }] },
    'has an effect',
  ],
  [
    'what is dropped on',
    '<div draggable=true>File</div><button>Delete</button>',
    'drag',
    { ref: 'File', to: 'Delete' },
    'has an effect',
  ],
  [
    'a link to another site',
    '<a href="https://other.example/x">More</a>',
    'click',
    click('More'),
    'another site',
  ],
  [
    'a form to another site',
    '<form action="https://other.example/x"><button>Look</button></form>',
    'click',
    click('Look'),
    'another site',
  ],
  [
    'a button’s own address',
    '<form action="/x"><button formaction="https://other.example/">Look</button></form>',
    'click',
    click('Look'),
    'another site',
  ],
  [
    'Enter to another site',
    '<form action="https://other.example/x"><input aria-label=Q></form>',
    'type_text',
    { ref: 'Q', text: 'x', enter: true },
    'another site',
  ],
  [
    'a base elsewhere',
    '<base href="https://other.example/"><a href="x">More</a>',
    'click',
    click('More'),
    'another site',
  ],
  [
    'a mail program',
    '<a href="mailto:a@b.example?body=x">Contact</a>',
    'click',
    click('Contact'),
    'another site',
  ],
  [
    'the address of a link that logs out',
    '<a href="/bye">Log out</a>',
    'navigate',
    { url: '/bye' },
    'like link "Log out", which has an effect ("log out")',
  ],
  [
    'the address of several links of which one deletes',
    '<a href="/b">B</a><a href="/b">Delete item</a>',
    'navigate',
    { url: '/b' },
    'like link "Delete item"',
  ],
  [
    'a fragment of this page with a link that deletes',
    '<a href="#/delete/7">Delete</a>',
    'navigate',
    { url: '#/delete/7' },
    'like link "Delete"',
  ],
  [
    'the address of a link that is not displayed',
    '<a hidden href="/b">B</a>',
    'navigate',
    { url: '/b' },
    'to which no link on the page leads',
  ],
  [
    'the address of a link that nobody sees',
    '<a style="color: transparent" href="/b">B</a>',
    'navigate',
    { url: '/b' },
    'to which no link on the page leads',
  ],
  [
    'an address that no link leads to',
    '<a href="/b">B</a>',
    'navigate',
    { url: '/c?q=secret' },
    'to which no link on the page leads',
  ],
  [
    'a link’s address with more in it',
    '<a href="/b">B</a>',
    'navigate',
    { url: '/b?q=secret' },
    'to which no link',
  ],
  [
    'a link’s address with a fragment, which goes along where a server redirects',
    '<a href="/b">B</a>',
    'navigate',
    { url: '/b#secret' },
    'to which no link',
  ],
]

const PLAIN: readonly Case[] = [
  [
    'a button that sends a form of POST by GET',
    `<form ${POST}><button formmethod=get>Save</button></form>`,
    'click',
    click('Save'),
  ],
  [
    'a form on a page whose own address acts',
    '<form><button>Show more</button></form>',
    'click',
    click('Show more'),
  ],
  [
    'a book',
    '<button id=b><i class=icon-book></i></button><label for=b>1</label>',
    'click',
    click('1'),
  ],
  ['mails that came', '<button>✉ 3</button>', 'click', click('✉ 3')],
  ['a mark in the navigation', '<nav><a href="#d">delete()</a></nav>', 'click', click('delete()')],
  ['a mark', '<main><a href="#d">pay()</a></main>', 'click', click('pay()')],
  ['a guide', '<main><a href="/g">Send money guide</a></main>', 'click', click('Send money guide')],
  ['a topic', '<main><a href="/g">Delete a user</a></main>', 'click', click('Delete a user')],
  [
    'a link at the foot of the page',
    '<footer><a href="/g">Send money</a></footer>',
    'click',
    click('Send money'),
  ],
  [
    'settings with a legend of what is chosen',
    '<form><fieldset><legend>Send me mail about</legend><label><input type=checkbox>Orders</label></fieldset><button>OK</button></form>',
    'click',
    click('OK'),
  ],
  ...['Save', 'Save changes', 'Apply', 'Speichern', '保存'].map((name): Case => [
    `${name} of settings`,
    `<form><h2>Delete old files automatically</h2><label><input type=checkbox>On</label><button>${name}</button></form>`,
    'click',
    click(name),
  ]),
  [
    'saving in a dialog of settings',
    '<div role=dialog aria-label="Send feedback settings"><button>Cancel</button><button>Save</button></div>',
    'click',
    click('Save'),
  ],
  [
    'a filter that is confirmed',
    '<button>Confirm filter</button>',
    'click',
    click('Confirm filter'),
  ],
  [
    'a line break in a field of several lines',
    '<form><label>Text <textarea></textarea></label><button>Send</button></form>',
    'type_text',
    { ref: 'Text', text: 'a\nb\n' },
  ],
  [
    'a line break in an editor with no such button',
    '<div contenteditable role=textbox aria-label=Text></div><button>Bold</button>',
    'type_text',
    { ref: 'Text', text: 'a\nb' },
  ],
  [
    'Shift+Delete in a field',
    '<label>To <input></label>',
    'press_key',
    { ref: 'To', key: 'Shift+Delete' },
  ],
  [
    'a drag by a distance within what is called so',
    '<section aria-label="Delete"><div style="height: 40px" role=slider aria-valuenow=1 aria-label=Size>1</div></section>',
    'drag',
    { ref: 'Size', x: 4 },
  ],
  ['a link’s address', '<a href="/b">B</a>', 'navigate', { url: '/b' }],
  ['that without its fragment', '<a href="/b#part">B</a>', 'navigate', { url: '/b' }],
  ['that with its fragment', '<a href="/b#part">B</a>', 'navigate', { url: '/b#part' }],
  [
    'a link in the navigation',
    '<nav><a href="/orders">Delete</a></nav>',
    'navigate',
    { url: '/orders' },
  ],
  [
    'a question about a view',
    '<div role=dialog aria-label="Columns"><p>The table will be sorted anew.</p><button>OK</button></div>',
    'click',
    click('OK'),
  ],
  [
    'terms of sale and purchase',
    '<button>Terms of sale and purchase</button>',
    'click',
    click('Terms of sale and purchase'),
  ],
  ['a button of another name', '<button>Show more</button>', 'click', click('Show more')],
  [
    'a link in the navigation',
    '<nav><a href="/orders">Orders</a><a href="/post">Post</a></nav>',
    'click',
    click('Post'),
  ],
  [
    'a headline',
    '<a href="/a1">Buy now, pay later: how shops make money</a>',
    'click',
    click('Buy now, pay later: how shops make money'),
  ],
  ['sorting', '<button>Order by price</button>', 'click', click('Order by price')],
  ['out of a cart', '<button>Delete from cart</button>', 'click', click('Delete from cart')],
  ['a filter', '<button>Delete filter</button>', 'click', click('Delete filter')],
  ['opening a menu', '<button aria-haspopup=menu>Send</button>', 'click', click('Send')],
  [
    'opening more of the page',
    '<button aria-expanded=false>Delete account</button>',
    'click',
    click('Delete account'),
  ],
  [
    'opening a part',
    '<details><summary>Pay by card</summary>x</details>',
    'click',
    click('Pay by card'),
  ],
  ['three points', '<button>Delete…</button>', 'click', click('Delete…')],
  [
    'cancelling',
    '<div role=dialog aria-label="Delete 3 files?"><button>Cancel</button><button>Yes</button></div>',
    'click',
    click('Cancel'),
  ],
  [
    'a box in a dialog',
    '<div role=dialog aria-label="Delete 3 files?"><label><input type=checkbox>Never ask again</label><button>Yes</button></div>',
    'click',
    click('Never ask again'),
  ],
  [
    'a dialog to work in',
    '<div role=dialog aria-label="Send a message"><button>Bold</button><button>Attach</button><button>Emoji</button></div>',
    'click',
    click('Bold'),
  ],
  [
    'a way to pay',
    '<label><input type=radio name=p>Pay by card</label>',
    'click',
    click('Pay by card'),
  ],
  [
    'a task on a list',
    '<ul><li><div tabindex=0 onclick="1">Pay rent</div></li></ul>',
    'click',
    click('Pay rent'),
  ],
  [
    'a box of a task',
    '<label><input type=checkbox>Send invoice</label>',
    'set_checked',
    { ref: 'Send invoice', checked: true },
  ],
  [
    'a tab',
    '<div role=tablist><button role=tab aria-selected=false>Transfer</button></div>',
    'click',
    click('Transfer'),
  ],
  [
    'a tab that says which panel it shows',
    '<button role=tab aria-controls=p>Transfer</button><div role=tabpanel id=p>To whom?</div>',
    'click',
    click('Transfer'),
  ],
  [
    'an option',
    '<div role=listbox aria-label=L><div role=option>Send</div></div>',
    'click',
    click('Send'),
  ],
  [
    'a value of a list',
    '<select aria-label=A><option>Keep<option>Delete</select>',
    'select_option',
    { ref: 'A', options: ['Delete'] },
  ],
  [
    'a search',
    '<form role=search><input aria-label=Q><button>Submit</button></form>',
    'type_text',
    { ref: 'Q', text: 'x', enter: true },
  ],
  [
    'a search by its address',
    '<form method=get action="/s"><input aria-label=Q><button>Enviar</button></form>',
    'click',
    click('Enviar'),
  ],
  [
    'typing',
    '<form><input aria-label="To"><button>Send</button></form>',
    'type_text',
    { ref: 'To', text: 'x' },
  ],
  [
    'filling in',
    '<form><input aria-label="To"><button>Send</button></form>',
    'fill_form',
    { fields: [{ ref: 'To', value: 'x' }] },
  ],
  [
    'the delete key in a field',
    '<input aria-label="To" value="x">',
    'press_key',
    { ref: 'To', key: 'Delete' },
  ],
  ['a context menu', '<button>Delete</button>', 'click', { ref: 'Delete', kind: 'right' }],
  ['a link of this site', '<a href="/a">More</a>', 'click', click('More')],
  [
    'a link to a file that a script made',
    '<a download href="data:,x">Export</a>',
    'click',
    click('Export'),
  ],
  ['an address of a link', '<a href="/b#x">B</a>', 'navigate', { url: '/b' }],
  ['a mark on this page', '<p>x', 'navigate', { url: '#part' }],
]

/** Runs all cases in one page. Each case replaces `#part`, so nothing of it remains. */
async function judgeAll(page: DrivenPage, cases: readonly Case[]): Promise<string[]> {
  const judged: string[] = []
  for (const [what, body, tool, input] of cases) {
    await put(page, body)
    const { commits, text } = await judge(page, tool, input)
    judged.push(`${what}: ${commits ? 'commits' : 'nothing'}, ${text}`)
  }
  return judged
}

const put = (page: DrivenPage, body: string): Promise<unknown> =>
  page.evaluate((html) => {
    const part = document.querySelector('#part')
    if (part) part.innerHTML = html
  }, body)

test('actions that commit a person are recognized', MORE, async ({ openPage }) => {
  const judged = await judgeAll(await openHost(openPage, '<div id=part></div>'), COMMITS)
  const wrong = judged.filter(
    (line, at) => !line.includes(': commits, ') || !line.includes(COMMITS[at]?.[4] ?? ''),
  )
  expect(wrong).toEqual([])
})

test('actions that commit to nothing are recognized', MORE, async ({ openPage }) => {
  const judged = await judgeAll(await openHost(openPage, '<div id=part></div>'), PLAIN)
  expect(judged.filter((line) => !line.includes(': nothing, ') || line.includes('Error'))).toEqual(
    [],
  )
})

test('scrolling, hovering and going back commit to nothing', MORE, async ({ openPage }) => {
  const page = await openHost(openPage, '<button>Pay</button>')
  for (const [tool, input] of [
    ['scroll', { ref: 'Pay' }],
    ['hover', { ref: 'Pay' }],
    ['go_back', {}],
  ] as const) {
    const commits = await page.evaluate(
      ([name, given]) => (window as unknown as Hosted).commits(name, given),
      [tool, input] as const,
    )
    expect(commits).toBe(false)
  }
})

test('going back stays on the site', MORE, async ({ openPage, site }) => {
  const script = '<script type="module" src="/commits-host.js"></script>'
  site.add('/elsewhere.html', { body: '<!doctype html><title>Elsewhere</title><p>x' })
  site.add('/here.html', { body: `<!doctype html><title>Here</title><body><p>x${script}` })
  const page = await openPage({})
  await page.goto(`${site.url.replace('127.0.0.1', 'localhost')}/elsewhere.html`)
  await page.evaluate((url) => void setTimeout(() => location.assign(url)), `${site.url}/here.html`)
  await expect(async () =>
    expect(await property(page, 'html[data-host]', 'tagName')).toBe('HTML'),
  ).toPass()
  expect((await act(page, 'go_back', {}, false)).code).toBe('outside')
  expect(await page.evaluate(() => location.pathname)).toBe('/here.html')
  // Without the Navigation API, what lies between isn't known.
  if (!(await page.evaluate(() => 'navigation' in window))) return
  await page.evaluate(() => history.pushState(null, '', '?view=2'))
  expect((await act(page, 'go_back', {}, false)).code).toBeUndefined()
  expect(await page.evaluate(() => location.search)).toBe('')
  expect((await act(page, 'go_back', {}, false)).code).toBe('outside')
})

const PRESSED = 'data-pressed'
const NOTE = `document.documentElement.setAttribute('${PRESSED}','')`

for (const [event, tool, input] of [
  ['mouseover', 'click', {}],
  ['mousedown', 'click', {}],
  ['mouseup', 'click', {}],
  ['keydown', 'press_key', { key: 'Enter' }],
  ['keyup', 'press_key', { key: ' ' }],
] as const)
  test(
    `an element that commits only from its ${event} on is not used without approval`,
    inSlice(event === 'mouseup'),
    async ({ openPage }) => {
      const page = await openHost(
        openPage,
        `<button id=b on${event}="this.textContent='Pay now'" onclick="${NOTE}">Show more</button>`,
      )
      const outcome = await act(page, tool, { ref: 'Show more', ...input })
      expect(outcome).toEqual({
        code: 'unconfirmed',
        text: expect.stringContaining('has an effect ("pay")'),
      })
      expect(await property(page, `html[${PRESSED}]`, 'tagName')).toBeUndefined()
    },
  )

test('a nested control is not pressed by a click without approval', async ({ openPage }) => {
  const page = await openHost(
    openPage,
    `<div tabindex=0 role=group aria-label="Card" style="width:100px;height:40px"><button style="width:100px;height:40px" onclick="${NOTE}">Delete</button></div>`,
  )
  const outcome = await act(page, 'click', { ref: 'Card' })
  expect(outcome.code).toBe('unconfirmed')
  expect(await property(page, `html[${PRESSED}]`, 'tagName')).toBeUndefined()
})

test(
  'navigate requires approval if the address belongs to a link that commits',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage, '<a id=a href="#b">B</a>')
    await page.evaluate(async () => {
      const host = window as unknown as Hosted & { went: unknown }
      const went = host.act('navigate', { url: '#b' }, true)
      const link = document.querySelector('#a')
      if (link) link.textContent = 'Log out'
      host.went = await went
    })
    expect(await page.evaluate(() => (window as unknown as { went: unknown }).went)).toEqual({
      code: 'unconfirmed',
      text: expect.stringContaining('has an effect'),
    })
    expect(await page.evaluate(() => location.hash)).toBe('')
  },
)

test("OK in a dialog's slot answers that dialog", MORE, async ({ openPage }) => {
  const page = await openHost(
    openPage,
    `<div><template shadowrootmode=open><div role=dialog><slot name=title></slot><slot></slot></div></template>
    <h2 slot=title>Delete account?</h2><button>OK</button></div>`,
  )
  expect(await judge(page, 'click', click('OK'))).toEqual({
    commits: true,
    text: 'button "OK" (in dialog "Delete account?"), has an effect ("delete")',
  })
})

test('a link in a shadow root is clicked on the text in its slot', MORE, async ({ openPage }) => {
  const page = await openHost(
    openPage,
    `<span onclick="${NOTE}"><template shadowrootmode=open><a href="#x"><slot></slot></a></template>Terms</span>`,
  )
  expect((await act(page, 'click', { ref: 'Terms' })).code).toBeUndefined()
  expect(await page.evaluate(() => location.hash)).toBe('#x')
  expect(await property(page, `html[${PRESSED}]`, 'tagName')).toBe('HTML')
})

test(
  'a committing control inside the named element is named in the error',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(
      openPage,
      `<div tabindex=0 role=group aria-label="Card" style="width:100px;height:40px"><button style="width:100px;height:40px">Delete</button></div>`,
    )
    const { text } = await act(page, 'click', { ref: 'Card' })
    const ref = /^button "Delete" \[ref=(\w+)\]/.exec(text)?.[1] ?? ''
    expect(await judge(page, 'click', { ref })).toMatchObject({ commits: true })
  },
)

test('a conversation without untrusted content is not interrupted', MORE, async ({ openPage }) => {
  const page = await openHost(openPage, `<button onclick="${NOTE}">Pay now</button>`)
  expect((await act(page, 'click', { ref: 'Pay now' }, false)).code).toBeUndefined()
  expect(await property(page, `html[${PRESSED}]`, 'tagName')).toBe('HTML')
})

test('a menu item that commits is not chosen without approval', MORE, async ({ openPage }) => {
  const page = await openHost(
    openPage,
    `<button aria-haspopup=menu aria-controls=m onclick="m.hidden=false">Actions</button>
     <div id=m role=menu hidden><div role=menuitem tabindex=-1 onclick="${NOTE}">Remove it all, delete too</div></div>`,
  )
  // The label that the model gives is a part of the item's name.
  const outcome = await act(page, 'select_option', { ref: 'Actions', options: ['Remove it all'] })
  expect(outcome.code ?? 'done').toBe('done')
})

const EGRESS: readonly (readonly [string, string, object, string?])[] = [
  ['a link', '<a href="https://other.example/">Go</a>', click('Go')],
  ['a link in a new tab', '<a target=_blank href="https://other.example/">Go</a>', click('Go')],
  [
    'a link of a picture',
    '<svg width=50 height=20><a href="https://other.example/"><text y=15>Go</text></a></svg>',
    click('Go'),
  ],
  [
    'an area',
    '<img usemap="#m" width=50 height=50 src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><map name=m><area alt=Go coords="0,0,50,50" href="https://other.example/"></map>',
    click('Go'),
  ],
  ['a form', '<form action="https://other.example/"><button>Go</button></form>', click('Go')],
  [
    'a form into a frame',
    '<iframe name=f></iframe><form target=f action="https://other.example/"><button>Go</button></form>',
    click('Go'),
  ],
  [
    'a button’s address',
    '<form><button formaction="https://other.example/">Go</button></form>',
    click('Go'),
  ],
  [
    'a button of a form elsewhere',
    '<form id=f action="https://other.example/"></form><button form=f>Go</button>',
    click('Go'),
  ],
  ['a base elsewhere', '<base href="https://other.example/"><a href="x">Go</a>', click('Go')],
  ['an address without a protocol', '<a href="//other.example/">Go</a>', click('Go')],
  [
    'a report that the link was followed',
    '<a href="#x" ping="/ok https://other.example/">Go</a>',
    click('Go'),
  ],
  ['a download', '<a download href="https://other.example/x">Go</a>', click('Go')],
  [
    'Enter on a link',
    '<a href="https://other.example/">Go</a>',
    { ref: 'Go', key: 'Enter' },
    'press_key',
  ],
  [
    'Enter in a field',
    '<form action="https://other.example/"><input aria-label=Go></form>',
    { ref: 'Go', text: 'x', enter: true },
    'type_text',
  ],
]

const IN_LINKS: readonly string[] = [
  '<form action="https://other.example/"><a href="/safe"><button>Go</button></a></form>',
  '<form action="https://other.example/"><a href="/safe"><input type=submit value=Go></a></form>',
  '<form><a href="/safe"><button formaction="https://other.example/">Go</button></a></form>',
  '<form action="https://other.example/"><button id=one>1</button><a href="/safe"><label for=one>Go</label></a></form>',
  '<form action="/safe"><button><a href="https://other.example/">Go</a></button></form>',
]

test(
  'neither a button in a link nor a link in a button leaves the site',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage, '<div id=part></div>')
    const left: string[] = []
    for (const body of IN_LINKS) {
      await put(page, body)
      const { code, text } = await act(page, 'click', { ref: 'Go' }, false)
      if (code !== 'outside') left.push(`${body}: ${code} ${text}`)
    }
    expect(left).toEqual([])
  },
)

test('no link and no form leaves the site', async ({ openPage }) => {
  const page = await openHost(openPage, '<div id=part></div>')
  const left: string[] = []
  for (const [what, body, input, tool = 'click'] of EGRESS) {
    await put(page, body)
    const { code, text } = await act(page, tool, input, false)
    if (code !== 'outside') left.push(`${what}: ${code} ${text}`)
  }
  expect(left).toEqual([])
})

const SCRIPTED: readonly (readonly [string, string])[] = [
  ['an address', `location.href='https://other.example/'`],
  ['location.assign', `location.assign('https://other.example/')`],
  [
    'a link that it makes and clicks',
    `Object.assign(document.createElement('a'),{href:'https://other.example/'}).click()`,
  ],
  [
    'a form that it fills and sends',
    `const f=document.createElement('form');f.action='https://other.example/';document.body.append(f);f.submit()`,
  ],
  [
    'a refresh by meta',
    `document.head.append(Object.assign(document.createElement('meta'),{httpEquiv:'refresh',content:'0;url=https://other.example/'}))`,
  ],
]

test(
  'no page script leaves the site, if the browser supports the Navigation API',
  MORE,
  async ({ openPage, driver }) => {
    const page = await openHost(openPage, '<div id=part></div>')
    const saysSo = await page.evaluate(() => 'navigation' in window)
    // Where it doesn't, nothing can cancel it: the documentation says so.
    expect(saysSo || driver === 'webkit').toBe(true)
    test.skip(!saysSo, 'the browser has no Navigation API')
    const left: string[] = []
    const bodies: readonly (readonly [string, string])[] = [
      ...SCRIPTED.map(
        ([what, script]) => [what, `<button onclick="${script}">Show more</button>`] as const,
      ),
      [
        'a form whose address it changes as it is sent',
        `<form onsubmit="this.action='https://other.example/'"><button>Show more</button></form>`,
      ],
    ]
    for (const [what, body] of bodies) {
      await put(page, body)
      const { text } = await act(page, 'click', { ref: 'Show more' }, false)
      if (!text.includes('The page tried to go to https://other.example, another site'))
        left.push(`${what}: ${text}`)
    }
    expect(left).toEqual([])
    expect(await page.evaluate(() => location.hostname)).toBe('127.0.0.1')
  },
)

const ELSEWHERE = "'https://other.example/'"
/** A page that changes where a press leads, once the press has begun. */
const LATE: readonly (readonly [what: string, body: string, tool?: string, input?: object])[] = [
  ['a link, at its click', `<a target=_blank href="/safe" onclick="this.href=${ELSEWHERE}">Go</a>`],
  [
    'a link, at the press',
    `<a target=_blank href="/safe" onmousedown="this.href=${ELSEWHERE}">Go</a>`,
  ],
  [
    'a link that gets its tab then, too',
    `<a href="/safe" onclick="this.target='_blank';this.href=${ELSEWHERE}">Go</a>`,
  ],
  [
    'a link, by what is around it, which stops the event',
    `<p onclick="this.firstChild.href=${ELSEWHERE};event.stopPropagation()"><a target=_blank href="/safe">Go</a></p>`,
  ],
  [
    'a link, by a base',
    `<a target=_blank href="safe" onclick="this.before(Object.assign(document.createElement('base'),{href:${ELSEWHERE}}))">Go</a>`,
  ],
  [
    'a link, at Enter',
    `<a target=_blank href="/safe" onclick="this.href=${ELSEWHERE}">Go</a>`,
    'press_key',
    { ref: 'Go', key: 'Enter' },
  ],
  [
    'a form, as it is sent',
    `<form target=_blank action="/safe" onsubmit="this.action=${ELSEWHERE};event.stopPropagation()"><button>Go</button></form>`,
  ],
  [
    'a form that gets its tab then, too',
    `<form action="/safe" onsubmit="this.target='_blank';this.action=${ELSEWHERE}"><button>Go</button></form>`,
  ],
  [
    'a button of a form, at its click',
    `<form action="/safe"><button formtarget=_blank onclick="this.formAction=${ELSEWHERE}">Go</button></form>`,
  ],
  [
    'a form that a script sends',
    `<form id=f target=_blank action="https://other.example/"></form><button onclick="f.requestSubmit()">Go</button>`,
  ],
  ['a window', `<button onclick="window.open(${ELSEWHERE})">Go</button>`],
]

test(
  'a press does not leave the site when the page changes its address',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage, '<div id=part></div>')
    const left: string[] = []
    for (const [what, body, tool = 'click', input = click('Go')] of LATE) {
      await put(page, body)
      const { code, text } = await act(page, tool, input, false)
      const isKept =
        code === 'outside' || text.includes('The page tried to go to https://other.example')
      if (!isKept) left.push(`${what}: ${code} ${text}`)
    }
    expect(left).toEqual([])
  },
)

test(
  "a shadow root's form does not leave the site when its address changes on submit",
  MORE,
  async ({ openPage }) => {
    const page = await openHost(
      openPage,
      `<div><template shadowrootmode=open><form target=_blank action="/safe" onsubmit="this.action=${ELSEWHERE}"><button>Go</button></form></template></div>`,
    )
    const { text } = await act(page, 'click', click('Go'), false)
    expect(text).toContain('The page tried to go to https://other.example')
  },
)

test(
  'a press redirected within the site goes there, with one event',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(
      openPage,
      `<a href="#a" onclick="this.href='#b';this.dataset.clicks=1+Number(this.dataset.clicks??0)">Go</a>
     <iframe name=f></iframe>
     <form target=f action="/one" onsubmit="this.action='/sent';this.dataset.submits=1+Number(this.dataset.submits??0)"><button name=by value=me>Send</button></form>`,
    )
    await act(page, 'click', click('Go'), false)
    expect(await page.evaluate(() => location.hash)).toBe('#b')
    expect(await page.evaluate(() => document.querySelector('a')?.dataset['clicks'])).toBe('1')
    await act(page, 'click', click('Send'), false)
    await expect(async () =>
      expect(await page.evaluate(() => window.frames[0]?.location.href)).toMatch(/\/sent\?by=me$/),
    ).toPass()
    expect(await page.evaluate(() => document.querySelector('form')?.dataset['submits'])).toBe('1')
  },
)

test('a form that a script posts into a frame is not sent before approval', async ({
  openPage,
}) => {
  const page = await openHost(
    openPage,
    `<iframe name=g></iframe><form id=f method=post target=g action="/sent"></form>
     <button onclick="f.requestSubmit()">Show more</button>`,
  )
  const address = (): Promise<string | undefined> =>
    page.evaluate(() => window.frames[0]?.location.href)
  expect((await act(page, 'click', click('Show more'))).code).toBe('unconfirmed')
  expect(await address()).toBe('about:blank')
  await act(page, 'click', click('Show more'), false)
  await expect(async () => expect(await address()).toMatch(/\/sent$/)).toPass()
})

test('a submit listener that submits another form runs once, and its own form is sent', async ({
  openPage,
}) => {
  const page = await openHost(
    openPage,
    `<iframe name=g></iframe>
     <form target=g action="/sent" onsubmit="this.dataset.submits=1+Number(this.dataset.submits??0);b.requestSubmit()"><button>Send</button></form>
     <form id=b onsubmit="event.preventDefault();this.dataset.submits=1+Number(this.dataset.submits??0)"></form>`,
  )
  await act(page, 'click', click('Send'), false)
  await expect(async () =>
    expect(await page.evaluate(() => window.frames[0]?.location.href)).toMatch(/\/sent\?$/),
  ).toPass()
  const submits = (): Promise<(string | undefined)[]> =>
    page.evaluate(() => [...document.forms].map(({ dataset }) => dataset['submits']))
  expect(await submits()).toEqual(['1', '1'])
})

for (const [how, script] of [
  ['requestSubmit', 'f.requestSubmit()'],
  ['submit', 'f.submit()'],
] as const)
  test(
    `a form posted by a script with ${how} is sent only after approval`,
    MORE,
    async ({ openPage }) => {
      const page = await openHost(
        openPage,
        `<iframe name=g></iframe><form id=f method=post action="#sent"></form><button onclick="${script}">Show more</button>`,
      )
      test.skip(
        how === 'submit' && !(await page.evaluate(() => 'navigation' in window)),
        'the browser has no Navigation API',
      )
      const { code, text } = await act(page, 'click', click('Show more'))
      expect({ code, text }).toEqual({
        code: 'unconfirmed',
        text: expect.stringContaining('button "Show more"'),
      })
      expect(text).toContain('submits a form')
      expect(await page.evaluate(() => location.hash)).toBe('')
      expect(await judge(page, 'click', click('Show more'))).toEqual({
        commits: true,
        text: 'button "Show more", submits a form',
      })
    },
  )

const ICONS: readonly (readonly [svg: string, says: string | null])[] = [
  ['<i class="fa fa-trash-o"></i>', 'has an effect ("trash")'],
  ['<svg data-testid="DeleteIcon"><path d="M0 0h9v9"/></svg>', 'has an effect ("delete")'],
  ['<svg><use href="/icons.svg#trash"></use></svg>', 'has an effect ("trash")'],
  ['<i class="fa-solid fa-paper-plane"></i>', 'has an effect ("paper plane")'],
  ['<i class="icon-logout"></i>', 'has an effect ("logout")'],
  ['<i class="fa fa-search"></i>', null],
  ['<i class="icon-combined icon-sender"></i>', null],
  ['<i class="cart-item-trash"></i>', null],
  ['<i class="icon-chevron-right"></i>', null],
]

test('a button without a name is judged by its icon', async ({ openPage }) => {
  const buttons = ICONS.map(
    ([icon]) => `<button style="width: 40px; height: 40px">${icon}</button>`,
  )
  const page = await openHost(openPage, buttons.join(''))
  const { text } = await act(page, 'read_page', {}, false)
  const refs = [...text.matchAll(/\[ref=(\w+)\]/g)].map(([, ref = '']) => ref)
  expect(refs).toHaveLength(ICONS.length)
  for (const [index, [icon, says]] of ICONS.entries()) {
    const judged = await judge(page, 'click', click(refs[index] ?? ''))
    expect(judged, icon).toMatchObject({ commits: says !== null })
    if (says !== null) expect(judged.text, icon).toContain(says)
  }
})
