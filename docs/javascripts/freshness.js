/* How old evidence is depends on when it is read, so it is computed here: amber after 48 hours, red after 7 days.
   The words say it; the colour only repeats it. */
(() => {
  const HOUR = 3600 * 1000
  const LEVELS = [[7 * 24, "stale"], [48, "ageing"]]

  const mark = () => {
    const now = Date.now()
    let worst = 0
    for (const time of document.querySelectorAll("time.wedged-age")) {
      const hours = (now - Date.parse(time.dateTime)) / HOUR
      const level = LEVELS.find(([limit]) => hours > limit)
      if (!level) continue
      worst = Math.max(worst, hours)
      time.classList.add("wedged-" + level[1])
      time.append(" (" + Math.floor(hours / 24) + " days old)")
    }
    const level = LEVELS.find(([limit]) => worst > limit)
    const place = document.querySelector("article")
    if (!level || !place) return
    const note = document.createElement("p")
    note.className = "wedged-age-note wedged-" + level[1]
    note.textContent = "The oldest evidence on this page is " + Math.floor(worst / 24) + " days old."
    place.append(note)
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mark)
  else mark()
})()
