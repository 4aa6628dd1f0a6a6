// Values and structure as the authoring practices describe them: what has a number, rows, branches or panels.
const $ = (selector, scope = document) => scope.querySelector(selector)
const all = (selector, scope = document) => [...scope.querySelectorAll(selector)]
const store = {
  opened: [],
  mail: '',
  format: [],
  tip: false,
  slide: 1,
  rotating: true,
  sorted: 'First name ascending',
  link: 0,
  warned: 0,
  discarded: false,
}
const now = (id) => Number($(`#${id}`).getAttribute('aria-valuenow'))

window.state = () => ({
  ...store,
  red: now('red'),
  stars: now('stars'),
  heat: now('heat'),
  low: now('low'),
  high: now('high'),
  adults: now('adults'),
  month: now('month'),
  divider: now('divider'),
  people: all('#people tbody tr').map((row) => row.cells[0].textContent),
  read: all('#feed [role=article]').length,
  tab: $('[role=tab][aria-selected=true]').id,
  about: !$('#about').hidden,
  billing: !$('#billing').hidden,
  street: $('#street').value,
  lights: $('#lights').getAttribute('aria-checked'),
  all: $('#all').getAttribute('aria-checked'),
  toppings: all('fieldset input').map(({ checked }) => checked),
  focus: document.activeElement.id || document.activeElement.textContent.trim().slice(0, 20),
})

const clamp = (element, value) =>
  Math.min(
    Number(element.getAttribute('aria-valuemax')),
    Math.max(Number(element.getAttribute('aria-valuemin')), value),
  )

/** A slider: keys by step, and a pointer that is followed over the whole document. */
const slider = (element, { step = 1, page = 10, fromPointer, onSet = () => {} }) => {
  const set = (value) => {
    element.setAttribute('aria-valuenow', clamp(element, value))
    onSet(clamp(element, value))
  }
  element.addEventListener('keydown', (event) => {
    const value = now(element.id)
    const to = {
      ArrowLeft: value - step,
      ArrowDown: value - step,
      ArrowRight: value + step,
      ArrowUp: value + step,
      PageUp: value + page,
      PageDown: value - page,
      Home: Number(element.getAttribute('aria-valuemin')),
      End: Number(element.getAttribute('aria-valuemax')),
    }[event.key]
    if (to === undefined) return
    set(to)
    event.preventDefault()
    event.stopPropagation()
  })
  element.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    event.stopPropagation()
    element.focus()
    const move = (moved) => set(fromPointer(moved))
    const up = () => {
      document.removeEventListener('pointermove', move)
      document.removeEventListener('pointerup', up)
    }
    document.addEventListener('pointermove', move)
    document.addEventListener('pointerup', up)
  })
  return set
}

const inSvg = (element, { clientX, clientY }) =>
  new DOMPoint(clientX, clientY).matrixTransform(element.ownerSVGElement.getScreenCTM().inverse())
const setRed = slider($('#red'), {
  fromPointer: (event) => Math.round(inSvg($('#red'), event).x) - 10,
  onSet: (value) => $('#red .thumb').setAttribute('x', value + 2),
})
$('#red .rail').addEventListener('click', (event) =>
  setRed(Math.round(inSvg($('#red'), event).x) - 10),
)
const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five']
const setStars = slider($('#stars'), {
  step: 0.5,
  fromPointer: (event) => Math.round(((inSvg($('#stars'), event).x - 18) / 30) * 2) / 2,
  onSet: (value) =>
    $('#stars').setAttribute(
      'aria-valuetext',
      `${WORDS[Math.floor(value)]}${value % 1 ? ' and a half' : ''} of five stars`,
    ),
})
$('#stars').addEventListener('click', (event) =>
  setStars(Math.ceil((inSvg($('#stars'), event).x - 15) / 30)),
)
slider($('#heat'), {
  fromPointer: ({ clientY }) =>
    38 - Math.round(((clientY - $('#heat-rail').getBoundingClientRect().top) / 100) * 28),
  onSet: (value) => {
    $('#heat').style.bottom = `${((value - 10) / 28) * 90}px`
    $('#heat').setAttribute('aria-valuetext', `${value} °C`)
  },
})
for (const id of ['low', 'high']) {
  const thumb = $(`#${id}`)
  const place = () => {
    thumb.style.cssText = `position: absolute; width: 12px; height: 20px; background: black; left: ${(now(id) / 400) * 288}px`
  }
  place()
  slider(thumb, {
    step: 5,
    fromPointer: ({ clientX }) =>
      Math.round(((clientX - $('#price').getBoundingClientRect().left) / 300) * 400),
    onSet: (value) => {
      place()
      if (id === 'low') $('#high').setAttribute('aria-valuemin', value)
      else $('#low').setAttribute('aria-valuemax', value)
    },
  })
}

// Spin buttons: one is a field with buttons beside it, one is text.
const setAdults = (value) => {
  const adults = $('#adults')
  adults.value = clamp(adults, value)
  adults.setAttribute('aria-valuenow', clamp(adults, value))
}
const [fewer, more] = all('#spinners button')
fewer.addEventListener('click', () => setAdults(now('adults') - 1))
more.addEventListener('click', () => setAdults(now('adults') + 1))
$('#adults').addEventListener('blur', ({ target }) => setAdults(Number(target.value) || 1))
$('#adults').addEventListener(
  'input',
  ({ target }) =>
    Number(target.value) &&
    target.setAttribute('aria-valuenow', clamp(target, Number(target.value))),
)
slider($('#month'), {
  fromPointer: () => now('month'),
  onSet: (value) => {
    const name = new Date(2026, value, 1).toLocaleString('en', { month: 'long' })
    $('#month').setAttribute('aria-valuetext', name)
    $('#month').textContent = name
  },
})
slider($('#divider'), {
  fromPointer: ({ clientX }) => Math.round(clientX - $('#panes').getBoundingClientRect().left),
  onSet: (value) => ($('#left').style.width = `${value}px`),
})

// Tree: clicks and keys bubble through the branches.
{
  const items = all('#files [role=treeitem]')
  const shown = () => items.filter((item) => item.checkVisibility())
  const unfold = (item, open) => {
    item.setAttribute('aria-expanded', String(open))
    $('[role=group]', item).hidden = !open
  }
  const focus = (item) => {
    for (const one of items) one.tabIndex = one === item ? 0 : -1
    item?.focus()
  }
  for (const item of items) {
    const branch = item.hasAttribute('aria-expanded')
    const activate = () =>
      branch
        ? unfold(item, item.getAttribute('aria-expanded') !== 'true')
        : store.opened.push(item.textContent.trim())
    item.addEventListener('click', (event) => {
      event.stopPropagation()
      focus(item)
      activate()
    })
    item.addEventListener('keydown', (event) => {
      const open = item.getAttribute('aria-expanded') === 'true'
      const at = shown().indexOf(item)
      if (event.key === 'Enter' || event.key === ' ') activate()
      else if (event.key === 'ArrowDown') focus(shown()[at + 1] ?? item)
      else if (event.key === 'ArrowUp') focus(shown()[at - 1] ?? item)
      else if (event.key === 'ArrowRight' && branch && !open) unfold(item, true)
      else if (event.key === 'ArrowRight' && branch) focus(shown()[at + 1])
      else if (event.key === 'ArrowLeft' && branch && open) unfold(item, false)
      else if (event.key === 'ArrowLeft')
        focus(item.parentElement.closest('[role=treeitem]') ?? item)
      else if (event.key.length === 1)
        focus(
          shown().find(({ textContent }) =>
            textContent.trim().toLowerCase().startsWith(event.key),
          ) ?? item,
        )
      else return
      event.preventDefault()
      event.stopPropagation()
    })
  }
}

// Treegrid: rows unfold by key and by double click.
{
  const rows = all('#mail tbody tr')
  const unfold = (open) => {
    $('#m1').setAttribute('aria-expanded', String(open))
    $('#m2').hidden = !open
  }
  for (const row of rows) {
    row.addEventListener('focus', () => (store.mail = row.id))
    row.addEventListener('dblclick', () => row.id === 'm1' && unfold($('#m2').hidden))
    row.addEventListener('keydown', (event) => {
      const list = rows.filter(({ hidden }) => !hidden)
      if (event.key === 'ArrowRight' && row.id === 'm1') unfold(true)
      else if (event.key === 'ArrowLeft' && row.id === 'm1') unfold(false)
      else if (/^Arrow(Up|Down)$/.test(event.key))
        list[list.indexOf(row) + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
      else return
      event.preventDefault()
    })
  }
}

// Table sorted by its headers.
all('#people th button').forEach((button, column) => {
  button.addEventListener('click', () => {
    const header = button.parentElement
    const order = header.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending'
    for (const other of all('#people th')) other.removeAttribute('aria-sort')
    header.setAttribute('aria-sort', order)
    const rows = all('#people tbody tr').toSorted((a, b) =>
      a.cells[column].textContent.localeCompare(b.cells[column].textContent),
    )
    $('#people tbody').append(...(order === 'ascending' ? rows : rows.toReversed()))
    store.sorted = `${button.firstChild.textContent} ${order}`
  })
})

// Feed: more articles when the end comes near.
{
  const feed = $('#feed')
  const add = () => {
    const start = feed.childElementCount
    for (let at = start; at < start + 5; at += 1)
      feed.insertAdjacentHTML(
        'beforeend',
        `<article role="article" tabindex="0" aria-posinset="${at + 1}" aria-setsize="-1" aria-labelledby="f${at}"><h4 id="f${at}">Place ${at + 1}</h4><button>Bookmark ${at + 1}</button></article>`,
      )
  }
  add()
  feed.addEventListener('scroll', () => {
    if (feed.scrollTop + feed.clientHeight < feed.scrollHeight - 20 || feed.childElementCount >= 40)
      return
    feed.setAttribute('aria-busy', 'true')
    setTimeout(() => {
      add()
      feed.setAttribute('aria-busy', 'false')
    }, 60)
  })
  feed.addEventListener('keydown', (event) => {
    const article = event.target.closest('[role=article]')
    const to =
      event.key === 'PageDown'
        ? article.nextElementSibling
        : event.key === 'PageUp'
          ? article.previousElementSibling
          : null
    if (!to) return
    event.preventDefault()
    to.focus()
  })
  feed.addEventListener(
    'click',
    ({ target }) => target.closest('button') && (store.mail = target.textContent),
  )
}

// Toolbar with one tab stop.
{
  const buttons = all('#format button')
  buttons.forEach((button, at) => {
    button.addEventListener('click', () => {
      if (button.getAttribute('aria-disabled') === 'true') return
      button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'))
      store.format = buttons
        .filter((one) => one.getAttribute('aria-pressed') === 'true')
        .map(({ value }) => value)
      $('#cut').setAttribute('aria-disabled', String(store.format.length === 0))
    })
    button.addEventListener('keydown', ({ key }) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[key]
      if (to === undefined) return
      buttons.forEach((one, index) => (one.tabIndex = index === to ? 0 : -1))
      buttons[to]?.focus()
    })
  })
}

// Tooltip by focus and pointer, with a delay.
{
  const tip = (shown) => {
    $('#tip').classList.toggle('shown', shown)
    store.tip = shown
  }
  let timer
  $('#alarm').addEventListener('pointerenter', () => (timer = setTimeout(() => tip(true), 200)))
  $('#alarm').addEventListener('pointerleave', () => {
    clearTimeout(timer)
    tip(false)
  })
  $('#alarm').addEventListener('focus', () => tip(true))
  $('#alarm').addEventListener('blur', () => tip(false))
  $('#alarm').addEventListener('keydown', ({ key }) => key === 'Escape' && tip(false))
}

// Tabs that wait for Enter or Space.
{
  const tabs = all('[role=tab]')
  tabs.forEach((tab, at) => {
    tab.addEventListener('click', () => {
      for (const one of tabs) {
        one.setAttribute('aria-selected', String(one === tab))
        one.tabIndex = one === tab ? 0 : -1
        $(`#${one.getAttribute('aria-controls')}`).hidden = one !== tab
      }
    })
    tab.addEventListener(
      'keydown',
      ({ key }) => /^Arrow(Left|Right)$/.test(key) && tabs[1 - at].focus(),
    )
  })
}

// Carousel that turns by itself until someone stops it.
{
  const slides = all('#slides > div')
  const show = (at) => {
    store.slide = ((at - 1 + slides.length) % slides.length) + 1
    slides.forEach((slide, index) => (slide.hidden = index + 1 !== store.slide))
  }
  setInterval(() => store.rotating && show(store.slide + 1), 700)
  $('#rotation').addEventListener('click', ({ target }) => {
    store.rotating = !store.rotating
    target.textContent = `${store.rotating ? 'Stop' : 'Start'} slide rotation`
  })
  $('#previous').addEventListener('click', () => show(store.slide - 1))
  $('#next').addEventListener('click', () => show(store.slide + 1))
  $('#carousel').addEventListener(
    'focusin',
    ({ target }) => target.id === 'rotation' || (store.rotating = false),
  )
}

// Disclosures and an accordion whose open panel can't be closed.
for (const button of all('nav button, #billing-button'))
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-expanded') !== 'true'
    button.setAttribute('aria-expanded', String(open))
    $(`#${button.getAttribute('aria-controls')}`).hidden = !open
  })

$('#link').addEventListener('click', () => (store.link += 1))
$('#link').addEventListener('keydown', ({ key }) => key === 'Enter' && (store.link += 1))
$('#warn').addEventListener('click', () => {
  store.warned += 1
  $('#alert').innerHTML = ''
  setTimeout(() => ($('#alert').innerHTML = '<p>Hello</p>'), 200)
})
const ask = (open) => {
  $('#sure').hidden = !open
  $(open ? '#no' : '#discard').focus()
}
$('#discard').addEventListener('click', () => ask(true))
$('#no').addEventListener('click', () => ask(false))
$('#yes').addEventListener('click', () => {
  store.discarded = true
  ask(false)
})
$('#sure').addEventListener('keydown', (event) => {
  if (event.key === 'Escape') ask(false)
  if (event.key === 'Tab') {
    event.preventDefault()
    $(document.activeElement.id === 'no' ? '#yes' : '#no').focus()
  }
})
const flip = (element) =>
  element.setAttribute('aria-checked', String(element.getAttribute('aria-checked') !== 'true'))
$('#lights').addEventListener('click', ({ currentTarget }) => flip(currentTarget))
$('#lights').addEventListener('keydown', (event) => {
  if (!/^( |Enter)$/.test(event.key)) return
  flip($('#lights'))
  event.preventDefault()
})
{
  const boxes = all('fieldset input')
  const group = $('#all')
  const sum = () => {
    const count = boxes.filter(({ checked }) => checked).length
    group.setAttribute(
      'aria-checked',
      count === 0 ? 'false' : count === boxes.length ? 'true' : 'mixed',
    )
  }
  const next = () => {
    const to = group.getAttribute('aria-checked') !== 'true'
    for (const box of boxes) box.checked = to
    sum()
  }
  group.addEventListener('click', next)
  group.addEventListener('keydown', ({ key }) => key === ' ' && next())
  for (const box of boxes) box.addEventListener('change', sum)
}
