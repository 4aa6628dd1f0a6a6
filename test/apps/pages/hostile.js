// Difficulties one by one; each section tells what happened in `state()`.
const store = {}
window.state = () => store
const app = document.querySelector('#app')
const add = (html, wire) => {
  const section = document.createElement('div')
  section.className = 'row'
  section.innerHTML = html
  app.append(section)
  wire?.((selector) => section.querySelector(selector), section)
}

// Everything is drawn anew at each event.
add('<div></div>', (_, section) => {
  store.rerendered = { text: '', count: 0, on: false }
  const draw = () => {
    const { text, count, on } = store.rerendered
    const had = document.activeElement?.getAttribute('aria-label')
    const at = document.activeElement?.selectionStart
    section.innerHTML = `<input aria-label="Redrawn text" value="${text}"><button>Redrawn ${count}</button><label><input type="checkbox" ${on ? 'checked' : ''}> Redrawn box</label>`
    if (had === 'Redrawn text') {
      const field = section.querySelector('input')
      field.focus()
      field.setSelectionRange(at, at)
    }
  }
  draw()
  section.addEventListener('input', ({ target }) => {
    if (target.type === 'checkbox') store.rerendered.on = target.checked
    else store.rerendered.text = target.value
    draw()
  })
  section.addEventListener('click', ({ target }) => {
    if (target.localName === 'button') store.rerendered.count += 1
    if (target.type !== 'checkbox') draw()
  })
  section.addEventListener('keydown', draw)
})

// Drawn anew at each input, and the focus is lost.
add('<div></div>', (_, section) => {
  const draw = () => {
    section.innerHTML = `<input aria-label="Forgetful" value="${store.forgetful ?? ''}">`
    section.firstChild.addEventListener('input', ({ target }) => {
      store.forgetful = target.value
      draw()
    })
  }
  draw()
})

// Listeners that look closely at their events.
add(
  '<button id="strict">Strict button</button><input id="strict-keys" aria-label="Strict keys"><div id="capture" style="width: 200px; height: 30px; background: tan" tabindex="0" role="button" aria-label="Capture pad"></div>',
  ($) => {
    store.strict = []
    const fine = (name, condition) => condition || store.strict.push(name)
    const button = $('#strict')
    button.addEventListener('pointerdown', (event) => {
      fine('isPrimary', event.isPrimary)
      fine('pointerType', event.pointerType === 'mouse')
      fine('buttons', event.buttons === 1)
      fine('offsetX', event.offsetX >= 0 && event.offsetX <= button.offsetWidth)
      fine('composedPath', event.composedPath().includes(document))
      fine('screenX', event.screenX > 0 || event.screenY > 0)
      fine('pageY', Math.abs(event.pageY - scrollY - event.clientY) < 1)
      fine('view', event.view === window)
    })
    button.addEventListener('mousedown', (event) =>
      fine('mousedown detail', event.detail === 1 && event.buttons === 1 && event.which === 1),
    )
    button.addEventListener('pointerup', (event) => fine('up buttons', event.buttons === 0))
    button.addEventListener('click', (event) => {
      fine('click detail', event.detail === 1)
      fine('click pointer', event instanceof PointerEvent && event.pointerId >= 0)
      fine('click which', event.which === 1)
      store.strictClicks = (store.strictClicks ?? 0) + 1
    })
    $('#strict-keys').addEventListener('keydown', (event) => {
      if (event.key === 'Tab' || event.key === 'Shift') return
      fine(`code ${event.key}`, event.code !== '')
      fine(`keyCode ${event.key}`, event.keyCode > 0 && event.which === event.keyCode)
      fine('repeat', event.repeat === false)
      fine('composing', event.isComposing === false)
      store.strictKey = `${event.key} ${event.code} ${event.keyCode} ${event.shiftKey}`
    })
    const pad = $('#capture')
    pad.addEventListener('pointerdown', (event) => {
      pad.setPointerCapture(event.pointerId)
      store.captured = true
    })
    pad.addEventListener('click', () => (store.padClicked = true))
  },
)

// A box and a file field that only their labels show.
add(
  `<label class="custom"><input id="fancy" type="checkbox"><span>Fancy box</span></label>
  <label class="custom" id="zone" style="border: 2px dashed"><input id="cv" type="file" accept=".pdf"> Drop your CV here</label>
  <div id="zone2" style="border: 2px dashed; height: 30px">Drop pictures</div><input id="pictures" type="file" multiple hidden>
  <label>Plain file <input id="plain-file" type="file"></label>`,
  ($) => {
    $('#fancy').addEventListener('change', ({ target }) => (store.fancy = target.checked))
    const names = (list) => [...list].map(({ name }) => name)
    $('#cv').addEventListener('change', ({ target }) => (store.cv = names(target.files)))
    $('#plain-file').addEventListener(
      'change',
      ({ target }) => (store.plainFile = names(target.files)),
    )
    $('#zone2').addEventListener('click', () => $('#pictures').click())
    $('#zone2').addEventListener('dragover', (event) => event.preventDefault())
    $('#zone2').addEventListener('drop', (event) => {
      event.preventDefault()
      store.dropped = names(event.dataTransfer.files)
    })
    $('#pictures').addEventListener(
      'change',
      ({ target }) => (store.pictures = names(target.files)),
    )
  },
)

// What moves, hides or goes away when it is touched.
add(
  '<button id="shy">Shy</button> <button id="vanish">Vanishing</button> <button id="slow">Slow</button> <button id="swap">Swapped</button> <span id="ghost" style="pointer-events: none"><button>Ghost</button></span>',
  ($) => {
    $('#shy').addEventListener('mouseenter', () => ($('#shy').style.left = '60px'))
    $('#shy').addEventListener('click', () => (store.shy = true))
    $('#vanish').addEventListener('mousedown', () => {
      store.vanished = true
      $('#vanish').remove()
    })
    $('#slow').addEventListener('click', () =>
      setTimeout(() => (($('#slow').textContent = 'Done at last'), (store.slow = true)), 350),
    )
    $('#swap').addEventListener('mouseenter', () => {
      const other = document.createElement('button')
      other.textContent = 'Other'
      other.addEventListener('click', () => (store.swapped = 'other'))
      $('#swap')?.replaceWith(other)
    })
  },
)

// A ticker that never rests.
add('<p>Price <output id="tick">0</output></p>', ($) =>
  setInterval(() => ($('#tick').textContent = String(Math.round(performance.now() / 50))), 50),
)

// Built-in behaviour: details, popover, invokers (where a browser has them), dialogs, selects.
add(
  `<details id="more"><summary>More about it</summary><button id="inside">Inside</button></details>
  <button popovertarget="pop">Show popover</button><div id="pop" popover><button id="in-pop">In popover</button></div>
  <button commandfor="native" command="show-modal" onclick="if (!('command' in this)) document.querySelector('#native').showModal()">Show native dialog</button>
  <dialog id="native"><form method="dialog"><label>Reason <input name="reason"></label><button value="fine">Fine</button></form></dialog>
  <label>Car <select id="car"><optgroup label="Swedish"><option>Volvo<option>Saab</optgroup><optgroup label="German" disabled><option>Audi</optgroup></select></label>
  <label>Sizes <select id="sizes" multiple size="3"><option>S<option>M<option>L</select></label>
  <label>Tall list <select id="tall" size="4"><option>One<option>Two<option>Three</select></label>`,
  ($) => {
    $('#inside').addEventListener('click', () => (store.inside = true))
    $('#in-pop').addEventListener('click', () => (store.inPop = true))
    $('#native').addEventListener('close', () => (store.native = $('#native').returnValue))
    for (const id of ['car', 'sizes', 'tall'])
      $(`#${id}`).addEventListener(
        'change',
        ({ target }) => (store[id] = [...target.selectedOptions].map(({ label }) => label)),
      )
  },
)

// What can't be used, and why.
add(`<fieldset disabled><legend>Locked part</legend><button>Locked button</button><input aria-label="Locked field"></fieldset>
  <div inert><button>Inert button</button></div><button aria-disabled="true">Soft disabled</button>
  <input aria-label="Read-only field" readonly value="fixed">`)

// Drawings, maps, other directions and scales.
add(
  `<img alt="Map" usemap="#map" width="100" height="50" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"><map name="map"><area shape="rect" coords="0,0,50,50" href="#left" alt="Left half"><area shape="rect" coords="50,0,100,50" href="#right" alt="Right half"></map>
  <svg width="200" height="40"><a href="#svg"><text y="20">SVG link</text></a><g id="svg-button" role="button" tabindex="0" aria-label="SVG button"><circle cx="150" cy="20" r="15" fill="teal"/></g></svg>
  <canvas id="canvas" width="100" height="30" aria-label="Sketch" style="background: beige"></canvas>
  <math><mfrac><mi>x</mi><mn>2</mn></mfrac></math>
  <div dir="rtl"><button id="rtl">كبير</button></div>
  <div style="writing-mode: vertical-rl"><button id="vertical">Vertical</button></div>
  <div style="transform: scale(0.5) rotate(30deg); transform-origin: left"><button id="turned">Turned</button></div>
  <div style="transform: translateX(20px)"><button id="fixed" style="position: fixed; left: 300px; top: 5px">Fixed in transform</button></div>
  <div style="zoom: 1.5"><button id="zoomed">Zoomed</button></div>
  <div style="display: contents"><button id="contents">In contents</button></div>`,
  ($) => {
    for (const id of ['svg-button', 'rtl', 'vertical', 'turned', 'fixed', 'zoomed', 'contents'])
      $(`#${id}`).addEventListener('click', () => (store[id] = true))
    $('#canvas').addEventListener('click', ({ offsetX }) => (store.canvas = Math.round(offsetX)))
    addEventListener('hashchange', () => (store.hash = location.hash))
  },
)

// Tables and owned elements.
add(
  `<table><caption>Plan</caption><tr><th rowspan="2">Mon</th><td>9:00</td><td><button>Book 9</button></td></tr><tr><td>10:00</td><td><button>Book 10</button></td></tr></table>
  <div role="listbox" aria-label="Owner" aria-owns="owned1 owned2" tabindex="0"></div><div id="owned1" role="option">Owned one</div><div id="owned2" role="option">Owned two</div>`,
  (_, section) => {
    section.addEventListener('click', ({ target }) => (store.table = target.textContent))
  },
)

// Components.
customElements.define(
  'x-closed',
  class extends HTMLElement {
    constructor() {
      super()
      const root = this.attachShadow({ mode: 'closed' })
      root.innerHTML = '<button>Hidden inside</button><slot>fallback</slot>'
      root.querySelector('button').addEventListener('click', () => (store.closed = true))
    }
  },
)
customElements.define(
  'x-field',
  class extends HTMLElement {
    static formAssociated = true
    constructor() {
      super()
      this.internals = this.attachInternals()
      const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
      root.innerHTML = '<label>Colour <input></label><slot>No hint given</slot>'
      root.querySelector('input').addEventListener('input', ({ target }) => {
        this.internals.setFormValue(target.value)
        store.colour = Object.fromEntries(new FormData(this.closest('form')))
      })
    }
  },
)
customElements.define(
  'x-toggle',
  class extends HTMLElement {
    constructor() {
      super()
      this.internals = this.attachInternals()
      this.internals.role = 'switch'
      this.internals.ariaChecked = 'false'
      this.tabIndex = 0
      this.addEventListener('click', () => {
        this.internals.ariaChecked = String(this.internals.ariaChecked !== 'true')
        store.toggle = this.internals.ariaChecked
      })
    }
  },
)
add(
  '<x-closed>Closed component</x-closed><form><x-field name="colour"></x-field></form><x-toggle>Internal switch</x-toggle>',
)

// Nested scrollers, unrendered content, and text without an end.
add(
  `<div class="scroller" tabindex="0" aria-label="Outer" role="region"><div style="height: 300px">outer</div><div class="scroller"><div style="height: 300px">inner</div><button id="deep">Deep button</button></div></div>
  <div style="content-visibility: auto; contain-intrinsic-size: 400px"><button id="lazy">Lazy button</button></div>
  <p id="long">${'lorem ipsum dolor '.repeat(6000)}</p><button id="after">After the long text</button>`,
  ($) => {
    for (const id of ['deep', 'lazy', 'after'])
      $(`#${id}`).addEventListener('click', () => (store[id] = true))
  },
)

// Fields with a will of their own.
add(
  `<label>Phone <input id="phone" inputmode="tel"></label><label>Pasted only <input id="pasted"></label>
  <label>Search <input id="search" role="combobox" aria-controls="hits" aria-expanded="false"></label><ul id="hits" role="listbox" hidden></ul>
  <label>Composed <input id="composed"></label><div id="refusing" contenteditable="true" role="textbox" aria-label="Refusing">kept</div>
  <label>Price <input id="price" inputmode="decimal"></label><label>Upper <input id="upper"></label><label>Count <input id="count" type="number" min="1" max="9" step="2" required></label>
  <label>Digits only <input id="digits"></label>`,
  ($) => {
    $('#phone').addEventListener('input', ({ target }) => {
      const digits = target.value.replace(/\D/g, '').slice(0, 10)
      target.value = digits.replace(
        /^(\d{3})(\d{0,3})(\d{0,4}).*/,
        (_, a, b, c) => `(${a}) ${b}${c && `-${c}`}`,
      )
      store.phone = target.value
    })
    $('#pasted').addEventListener(
      'beforeinput',
      (event) => event.inputType !== 'insertFromPaste' && event.preventDefault(),
    )
    $('#pasted').addEventListener(
      'paste',
      (event) => (store.pasted = event.clipboardData.getData('text')),
    )
    $('#pasted').addEventListener('input', ({ target }) => (store.pasted = target.value))
    let timer
    $('#search').addEventListener('input', ({ target }) => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        $('#hits').innerHTML = ['Anna', 'Annika', 'Bert']
          .filter((name) => name.toLowerCase().startsWith(target.value.toLowerCase()))
          .map((name) => `<li role="option">${name}</li>`)
          .join('')
        $('#hits').hidden = false
        target.setAttribute('aria-expanded', 'true')
      }, 300)
    })
    $('#hits').addEventListener('click', ({ target }) => {
      $('#search').value = store.search = target.textContent
      $('#hits').hidden = true
    })
    let composing = false
    $('#composed').addEventListener('compositionstart', () => (composing = true))
    $('#composed').addEventListener(
      'input',
      (event) => composing || event.isComposing || (store.composed = event.target.value),
    )
    $('#refusing').addEventListener('beforeinput', (event) => event.preventDefault())
    $('#price').addEventListener('blur', ({ target }) => {
      const number = Number(target.value.replace(/\./g, '').replace(',', '.'))
      store.price = number
      target.value = number.toLocaleString('de-DE', { minimumFractionDigits: 2 })
    })
    $('#upper').addEventListener(
      'input',
      ({ target }) => (store.upper = target.value = target.value.toUpperCase()),
    )
    $('#count').addEventListener('change', ({ target }) => (store.count = target.value))
    $('#digits').addEventListener(
      'keypress',
      (event) => /\d/.test(event.key) || event.preventDefault(),
    )
    $('#digits').addEventListener('input', ({ target }) => (store.digits = target.value))
  },
)

// Forms that refuse, and forms that send.
add(
  `<form id="refuse"><label>Your name <input name="who" required></label><label>Mail <input name="mail" type="email"></label><button>Send it</button></form>
  <form id="react"><label>Code <input name="code" pattern="[A-Z]{3}" title="Three capitals"></label><button type="submit">Check code</button></form>
  <a id="blank" href="#blank" target="_blank">New tab link</a> <button id="opener">Open window</button> <button id="router">Route</button> <a href="#chapter">Chapter link</a>
  <button id="nothing">Does nothing</button>`,
  ($) => {
    for (const id of ['refuse', 'react'])
      $(`#${id}`).addEventListener('submit', (event) => {
        event.preventDefault()
        store.sent = Object.fromEntries(new FormData(event.target))
      })
    $('#opener').addEventListener(
      'click',
      () => (store.opened = window.open('about:blank') !== null),
    )
    $('#router').addEventListener('click', () => {
      history.pushState({}, '', '/routed')
      store.route = location.pathname
    })
    addEventListener('popstate', () => (store.route = location.pathname))
  },
)

// Overlays.
add(
  '<button id="banner">Show cookie banner</button><button id="covered" style="position: fixed; bottom: 20px; left: 20px">Under the banner</button><button id="layer">Show layer</button>',
  ($) => {
    $('#banner').addEventListener('click', () => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<div id="cookies" role="dialog" aria-label="Cookies">We use cookies <button>Accept all</button></div>',
      )
      document
        .querySelector('#cookies button')
        .addEventListener('click', () => document.querySelector('#cookies').remove())
    })
    $('#covered').addEventListener('click', () => (store.covered = true))
    $('#layer').addEventListener('click', () => {
      const layer = document.createElement('div')
      layer.id = 'modal-layer'
      layer.style.display = 'block'
      document.body.append(layer)
      setTimeout(() => layer.remove(), 2500)
    })
  },
)
