// Choices as the authoring practices describe them: lists, menus and dialogs that keep the focus or move it.
const $ = (selector, scope = document) => scope.querySelector(selector)
const all = (selector, scope = document) => [...scope.querySelectorAll(selector)]
const store = {
  fruit: '',
  state: '',
  food: '',
  element: '',
  pet: '',
  action: '',
  drink: '',
  font: 'Sans-serif',
  caps: false,
  size: 12,
}

window.state = () => ({
  ...store,
  day: $('#day').value,
  wishes: all('#wishes [role=option]').map(({ textContent }) => textContent),
  focus: document.activeElement.id || document.activeElement.textContent.trim().slice(0, 20),
})

const mark = (items, chosen) => {
  for (const item of items) {
    item.classList.toggle('active', item === chosen)
    item.setAttribute('aria-selected', String(item === chosen))
  }
}

// Select-only combobox: the focus stays, leaving it takes the active option.
{
  const combo = $('#fruit')
  const list = $('#fruit-list')
  const names = [
    'Apple',
    'Banana',
    'Blueberry',
    'Cherry',
    'Cranberry',
    'Fig',
    'Grape',
    'Kiwi',
    'Lime',
    'Mango',
  ]
  list.innerHTML = names
    .map((name, at) => `<div role="option" id="fruit-${at}" aria-selected="false">${name}</div>`)
    .join('')
  const options = all('[role=option]', list)
  let active = 0
  let keepOpen = false
  let typed = ''
  const isOpen = () => !list.hidden
  const show = (open) => {
    if (isOpen() === open) return
    list.hidden = !open
    combo.setAttribute('aria-expanded', String(open))
    combo.setAttribute('aria-activedescendant', open ? options[active].id : '')
    if (!open && !keepOpen) combo.focus()
  }
  const go = (to) => {
    active = Math.max(0, Math.min(options.length - 1, to))
    options.forEach((option, at) => option.classList.toggle('active', at === active))
    combo.setAttribute('aria-activedescendant', options[active].id)
    options[active].scrollIntoView({ block: 'nearest' })
  }
  const choose = () => {
    mark(options, options[active])
    combo.textContent = store.fruit = options[active].textContent
  }
  combo.addEventListener('click', () => show(!isOpen()))
  combo.addEventListener('blur', (event) => {
    if (list.contains(event.relatedTarget) || keepOpen) {
      keepOpen = false
      return
    }
    if (isOpen()) {
      choose()
      list.hidden = true
      combo.setAttribute('aria-expanded', 'false')
    }
  })
  combo.addEventListener('keydown', (event) => {
    const { key } = event
    if (!isOpen() && /^(Enter| |ArrowDown)$/.test(key)) {
      event.preventDefault()
      return show(true)
    }
    if (key.length === 1 && key !== ' ') {
      show(true)
      typed += key.toLowerCase()
      setTimeout(() => (typed = ''), 500)
      const found = names.findIndex((name) => name.toLowerCase().startsWith(typed))
      if (found >= 0) go(found)
    } else if (key === 'ArrowDown') go(active + 1)
    else if (key === 'ArrowUp') go(active - 1)
    else if (key === 'Enter') {
      event.preventDefault()
      choose()
      show(false)
    } else if (key === 'Escape') show(false)
  })
  options.forEach((option, at) => {
    option.addEventListener('mousedown', () => (keepOpen = true))
    option.addEventListener('click', () => {
      go(at)
      choose()
      show(false)
      keepOpen = false
    })
  })
}

// Editable combobox that completes what is typed, by keyup.
{
  const input = $('#state')
  const list = $('#state-list')
  const button = $('#state-button')
  const names = [
    'Alabama',
    'Alaska',
    'Arizona',
    'Arkansas',
    'California',
    'Colorado',
    'Connecticut',
  ]
  let filter = ''
  let at = -1
  let hovered = false
  list.addEventListener('pointerover', () => (hovered = true))
  list.addEventListener('pointerout', () => (hovered = false))
  const show = (open) => {
    list.hidden = !open
    for (const one of [input, button]) one.setAttribute('aria-expanded', String(open))
    if (!open) at = -1
  }
  const options = () => all('[role=option]', list)
  const draw = () => {
    const found = names.filter((name) => name.toLowerCase().startsWith(filter.toLowerCase()))
    list.innerHTML = found
      .map((name, index) => `<li role="option" id="state-${index}">${name}</li>`)
      .join('')
    for (const option of options()) option.addEventListener('click', () => take(option.textContent))
    at = Math.min(at, found.length - 1)
    mark(options(), options()[at])
    input.setAttribute('aria-activedescendant', at >= 0 ? `state-${at}` : '')
    return found
  }
  const take = (name) => {
    filter = input.value = store.state = name
    show(false)
    input.focus()
  }
  input.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.shiftKey) return
    if (event.key === 'Enter') {
      const option = options()[at]
      if (!list.hidden && option) take(option.textContent)
      event.preventDefault()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (list.hidden) draw()
      show(true)
      at = (at + (event.key === 'ArrowDown' ? 1 : -1) + options().length) % options().length
      mark(options(), options()[at])
      input.value = options()[at].textContent
      event.preventDefault()
    } else if (event.key === 'Escape') {
      if (list.hidden) input.value = filter = ''
      show(false)
      event.preventDefault()
    }
  })
  input.addEventListener('keyup', (event) => {
    if (event.key.length === 1 && /\S/.test(event.key)) {
      filter += input.value.at(filter.length) ?? ''
      filter = input.value.slice(0, Math.max(filter.length, input.selectionStart))
      at = 0
      const [first] = draw()
      if (!first) return show(false)
      show(true)
      input.value = first
      input.setSelectionRange(filter.length, first.length)
    } else if (event.key === 'Backspace') {
      filter = input.value
      at = -1
      draw()
    }
  })
  input.addEventListener('click', () => {
    filter = input.value
    draw()
    show(true)
  })
  input.addEventListener('blur', () => {
    const close = () => document.activeElement !== input && show(false)
    if (!hovered) setTimeout(close, 300)
  })
  button.addEventListener('click', () => {
    if (!list.hidden) return show(false)
    filter = ''
    draw()
    input.focus()
    show(true)
  })
  document.body.addEventListener(
    'pointerup',
    ({ target }) => {
      if (![input, list, button].some((one) => one.contains(target)))
        setTimeout(() => show(false), 100)
    },
    true,
  )
}

// Combobox whose popup is a grid.
{
  const input = $('#food')
  const grid = $('#food-grid')
  const rows = [
    ['Apple', 'Fruit'],
    ['Apricot', 'Fruit'],
    ['Asparagus', 'Vegetable'],
    ['Beet', 'Vegetable'],
  ]
  let active = -1
  const close = () => {
    grid.hidden = true
    input.setAttribute('aria-expanded', 'false')
  }
  const take = (row) => {
    input.value = store.food = $('[role=gridcell]', row).textContent
    close()
  }
  input.addEventListener('keyup', ({ key }) => {
    if (/^(Arrow|Enter|Escape|Tab|Shift)/.test(key)) return
    const found = input.value
      ? rows.filter(([name]) => name.toLowerCase().startsWith(input.value.toLowerCase()))
      : []
    grid.innerHTML = found
      .map(
        (cells) =>
          `<div role="row">${cells.map((cell) => `<div role="gridcell" style="display: inline-block; width: 90px">${cell}</div>`).join('')}</div>`,
      )
      .join('')
    active = -1
    grid.hidden = found.length === 0
    input.setAttribute('aria-expanded', String(!grid.hidden))
  })
  input.addEventListener('keydown', (event) => {
    const lines = all('[role=row]', grid)
    if (event.key === 'Enter' && lines[active]) take(lines[active])
    if (/^Arrow(Up|Down)$/.test(event.key)) {
      active = (active + (event.key === 'ArrowDown' ? 1 : -1) + lines.length) % lines.length
      mark(lines, lines[active])
      event.preventDefault()
    }
    if (event.key === 'Escape') close()
  })
  input.addEventListener('blur', () => setTimeout(close, 200))
  // However long the button stays down, the focus and the grid stay.
  grid.addEventListener('mousedown', (event) => event.preventDefault())
  grid.addEventListener(
    'click',
    ({ target }) => target.closest('[role=row]') && take(target.closest('[role=row]')),
  )
}

// Date picker dialog over a grid with one tab stop.
{
  const dialog = $('#calendar')
  const body = $('#days')
  const names = [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ]
  let focused = new Date(2026, 2, 9)
  let chosen = focused
  const draw = (withFocus) => {
    $('#month').textContent = `${names[focused.getMonth()]} ${focused.getFullYear()}`
    const first = new Date(focused.getFullYear(), focused.getMonth(), 1)
    const days = new Date(focused.getFullYear(), focused.getMonth() + 1, 0).getDate()
    const lead = (first.getDay() + 6) % 7
    let html = ''
    for (let index = 0; index < Math.ceil((lead + days) / 7) * 7; index += 1) {
      const day = index - lead + 1
      if (index % 7 === 0) html += '<tr>'
      html +=
        day < 1 || day > days
          ? '<td tabindex="-1" class="disabled"></td>'
          : `<td data-day="${day}" tabindex="${day === focused.getDate() ? 0 : -1}" ${day === chosen.getDate() && chosen.getMonth() === focused.getMonth() ? 'aria-selected="true"' : ''}>${day}</td>`
    }
    body.innerHTML = html
    if (withFocus) $('td[tabindex="0"]', body).focus()
  }
  const close = () => {
    dialog.hidden = true
    $('#day-button').focus()
  }
  const accept = () => {
    $('#day').value = `${chosen.getDate()}/${chosen.getMonth() + 1}/${chosen.getFullYear()}`
    close()
  }
  const move = (days) => {
    focused = new Date(focused.getFullYear(), focused.getMonth(), focused.getDate() + days)
    draw(true)
  }
  $('#day-button').addEventListener('click', () => {
    dialog.hidden = false
    draw(true)
  })
  $('#before').addEventListener('click', () => {
    focused = new Date(focused.getFullYear(), focused.getMonth() - 1, 1)
    draw(false)
  })
  $('#after').addEventListener('click', () => {
    focused = new Date(focused.getFullYear(), focused.getMonth() + 1, 1)
    draw(false)
  })
  $('#day-ok').addEventListener('click', accept)
  $('#day-cancel').addEventListener('click', close)
  body.addEventListener('click', ({ target }) => {
    if (!target.dataset.day) return
    chosen = focused = new Date(
      focused.getFullYear(),
      focused.getMonth(),
      Number(target.dataset.day),
    )
    draw(true)
  })
  body.addEventListener('keydown', (event) => {
    const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key]
    if (days) move(days)
    else if (event.key === 'PageDown') move(28)
    else if (event.key === 'Enter' || event.key === ' ') {
      chosen = focused
      if (event.key === 'Enter') accept()
      else draw(true)
    } else return
    event.preventDefault()
    event.stopPropagation()
  })
  dialog.addEventListener('keydown', (event) => event.key === 'Escape' && close())
  document.body.addEventListener(
    'mouseup',
    ({ target }) => {
      if (!dialog.hidden && !dialog.contains(target) && target !== $('#day-button')) close()
    },
    true,
  )
}

// Listboxes: the list keeps the focus.
const listbox = (list, choose) => {
  const options = () => all('[role=option]', list)
  const go = (option) => {
    if (!option) return
    mark(options(), option)
    list.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
    choose(option)
  }
  list.addEventListener('click', ({ target }) => go(target.closest('[role=option]')))
  list.addEventListener(
    'focus',
    () => list.getAttribute('aria-activedescendant') || go(options()[0]),
  )
  list.addEventListener('keydown', (event) => {
    if (event.altKey) return
    const at = options().findIndex(({ id }) => id === list.getAttribute('aria-activedescendant'))
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options().length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(options()[to])
  })
  return go
}
$('#elements').innerHTML = [
  'Neptunium',
  'Plutonium',
  'Americium',
  'Curium',
  'Berkelium',
  'Californium',
  'Einsteinium',
  'Fermium',
]
  .map((name, at) => `<li role="option" id="el-${at}">${name}</li>`)
  .join('')
listbox($('#elements'), (option) => (store.element = option.textContent))
listbox($('#pets'), (option) => (store.pet = option.textContent))
{
  let current = null
  const arm = () => {
    $('#up').setAttribute('aria-disabled', String(!current?.previousElementSibling))
    $('#down').setAttribute('aria-disabled', String(!current?.nextElementSibling))
  }
  listbox($('#wishes'), (option) => {
    current = option
    arm()
  })
  const shift = (down) => {
    if (down) current?.nextElementSibling?.after(current)
    else current?.previousElementSibling?.before(current)
    arm()
  }
  for (const id of ['up', 'down'])
    $(`#${id}`).addEventListener(
      'click',
      ({ target }) => target.getAttribute('aria-disabled') === 'true' || shift(id === 'down'),
    )
  $('#wishes').addEventListener(
    'keydown',
    ({ key, altKey }) => altKey && key.startsWith('Arrow') && shift(key === 'ArrowDown'),
  )
}

// Menu button: the menu has the focus, not its items.
{
  const button = $('#actions')
  const menu = $('#actions-menu')
  const items = all('[role=menuitem]', menu)
  let active = 0
  const go = (at) => {
    active = (at + items.length) % items.length
    items.forEach((item, index) => item.classList.toggle('active', index === active))
    menu.setAttribute('aria-activedescendant', items[active].id)
  }
  const show = (open) => {
    menu.hidden = !open
    if (open) button.setAttribute('aria-expanded', 'true')
    else button.removeAttribute('aria-expanded')
    ;(open ? menu : button).focus()
  }
  const take = () => {
    store.action = items[active].textContent
    show(false)
  }
  button.addEventListener('click', () => {
    go(0)
    show(menu.hidden)
  })
  button.addEventListener('keydown', (event) => {
    if (!/^(ArrowDown|ArrowUp|Enter| )$/.test(event.key)) return
    event.preventDefault()
    show(true)
    go(event.key === 'ArrowUp' ? -1 : 0)
  })
  menu.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    if (event.key === 'ArrowDown') go(active + 1)
    else if (event.key === 'ArrowUp') go(active - 1)
    else if (event.key === 'Enter' || event.key === ' ') take()
    else if (event.key === 'Escape') show(false)
    else if (event.key.length === 1)
      go(items.findIndex(({ textContent }) => textContent.toLowerCase().startsWith(event.key)))
    event.preventDefault()
    event.stopPropagation()
  })
  items.forEach((item, at) => {
    item.addEventListener('mouseover', () => go(at))
    item.addEventListener('click', take)
  })
  window.addEventListener(
    'mousedown',
    ({ target }) => menu.hidden || menu.contains(target) || button.contains(target) || show(false),
    true,
  )
}

// Menubar: submenus open by click and arrow key, items of three kinds.
{
  const bar = $('#editor-bar')
  const tops = all(':scope > li > [role=menuitem]', bar)
  const menuOf = (top) => $('[role=menu]', top.parentElement)
  const closeAll = () => {
    for (const top of tops) {
      menuOf(top).hidden = true
      top.setAttribute('aria-expanded', 'false')
    }
  }
  const open = (top) => {
    closeAll()
    menuOf(top).hidden = false
    top.setAttribute('aria-expanded', 'true')
  }
  const act = (item) => {
    const name = item.textContent
    if (item.role === 'menuitemradio') {
      for (const one of all('[role=menuitemradio]', bar))
        one.setAttribute('aria-checked', String(one === item))
      store.font = name
    } else if (item.role === 'menuitemcheckbox') {
      store.caps = !store.caps
      item.setAttribute('aria-checked', String(store.caps))
    } else store.size += name === 'Larger' ? 2 : -2
  }
  tops.forEach((top, at) => {
    top.addEventListener('click', () =>
      menuOf(top).hidden ? (open(top), $('[tabindex]', menuOf(top)).focus()) : closeAll(),
    )
    top.addEventListener('keydown', (event) => {
      if (/^(ArrowDown|Enter| )$/.test(event.key)) {
        open(top)
        $('[tabindex]', menuOf(top)).focus()
      } else if (/^Arrow(Left|Right)$/.test(event.key)) tops[(at + 1) % tops.length].focus()
      else return
      event.preventDefault()
    })
    const items = all('[tabindex]', menuOf(top))
    items.forEach((item, index) => {
      item.addEventListener('click', () => {
        act(item)
        if (item.role !== 'menuitemcheckbox') {
          closeAll()
          top.focus()
        }
      })
      item.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') item.click()
        else if (event.key === 'ArrowDown') items[(index + 1) % items.length].focus()
        else if (event.key === 'Escape') {
          closeAll()
          top.focus()
        } else return
        event.preventDefault()
        event.stopPropagation()
      })
    })
  })
  document.addEventListener('pointerdown', ({ target }) => bar.contains(target) || closeAll(), true)
}

// Radio group with the focus on the group.
{
  const group = $('#drinks')
  const radios = all('[role=radio]', group)
  const check = (radio) => {
    for (const one of radios) one.setAttribute('aria-checked', String(one === radio))
    group.setAttribute('aria-activedescendant', radio.id)
    store.drink = radio.textContent
  }
  for (const radio of radios)
    radio.addEventListener('click', () => {
      check(radio)
      group.focus()
    })
  group.addEventListener('keydown', (event) => {
    const at = radios.findIndex(({ id }) => id === group.getAttribute('aria-activedescendant'))
    if (event.key === 'ArrowDown') check(radios[(at + 1) % radios.length])
    else if (event.key === ' ') check(radios[Math.max(0, at)])
    else return
    event.preventDefault()
  })
}
