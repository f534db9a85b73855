"""Rows of a gold standard that is made up: pages with a menu, a title and sentences."""

SENTENCES = [
    "The mill by the river has ground the grain of three villages since before anyone thought of writing it down.",
    "In spring the water is high, and the great wheel turns so fast that the whole house trembles with it.",
    "When the harvest is over, carts stand along the road, and those who wait tell each other what is new.",
    "His daughter keeps the books now; she knows by heart how much each of the farmers brought in every year.",
]


MENU = ["Home", "Contact Us", "Log In", "Site Map", "Privacy Policy", "Copyright 2007", "Next Page", "Read More"]


def gold_row(number: int) -> dict[str, object]:
    text = [SENTENCES[(number + at) % 4] for at in range(3)]
    menu = "".join(f'<li><a href="/{at}">{item}</a></li>' for at, item in enumerate(MENU[number % 3 :]))
    body = "".join(f"<p>{sentence}</p>" for sentence in text)
    title = f"Of mill number {number}"
    return {
        "id": f"dev/{number}",
        "lang": "en",
        "url": f"http://mill{number}.example/",
        "split": "dev",
        "html": f"<html><body><ul>{menu}</ul><h1>{title}</h1>{body}<ul>{menu}</ul></body></html>".encode(),
        "gold": "\n".join([title, *text]),
        "annotated": "\n".join([f"<h>{title}", *(f"<p>{sentence}" for sentence in text)]).encode(),
    }
